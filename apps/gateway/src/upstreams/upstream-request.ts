import { type MeteredUsage } from '@inference/metering';
import { GatewayError } from '../errors/openai-error';
import { type CallSize } from '../limits/answer-means';
import { type AnswerBody } from './answer-headers';
import { type ReadAnswer } from './answer-json';
import { type CallingAccount } from './choice/account-shares';
import {
  type CalledEndpoint,
  type NativeProtocol,
  type ServedEndpoint,
  type UpstreamOfModel,
} from './upstream';
import { type Cancellation } from './upstream-call';

/** A request as upstreams get it that speak its protocol. */
export interface NativeRequest<Content> {
  protocol: NativeProtocol;
  headers: Readonly<Record<string, string>>;
  /** See UpstreamRequest. */
  bodyFor(model: string, upstreamModel: string): Buffer;
  read(body: Buffer): ReadAnswer<Content>;
}

export interface UpstreamRequest<Content> {
  endpoint: ServedEndpoint;
  /** For upstreams that speak the client's protocol, which `endpoint` translates. */
  native?: NativeRequest<Content> | undefined;
  /**
   * For upstreams that do not speak chat completions: a body in the words of their protocol, or why it cannot be put in them. Without it
   * they get no call.
   */
  translate?(protocol: NativeProtocol, model: string, body: Buffer): Promise<TranslatedCall | GatewayError>;
  /** Slugs of the models that may answer, in the order of preference. */
  models: readonly string[];
  /** Calls with the same one go to the same upstream as far as it can take them. */
  prefix: number;
  /** Whose share of an upstream with limits it takes. */
  account: CallingAccount;
  /** For upstreams with a limit of tokens. */
  size: CallSize;
  requestId: string;
  /** Of a body that is no JSON. */
  contentType?: string;
  /** Builds the request body for one of the models, with the upstream's own name of it. */
  bodyFor(model: string, upstreamModel: string): Buffer;
  /** Reads the body of a plain answer. Returns null if it is not usable: then the upstream counts as failed. */
  read(body: Buffer): ReadAnswer<Content>;
  /** What a plain answer that is not usable reports of its usage; null if it reports none. */
  usageOf?(body: Buffer): ReadAnswer<MeteredUsage>;
  /** Whether an answer of this type is taken chunk by chunk. Without it event streams are. */
  isStream?(contentType: string): boolean;
  cancellation: Cancellation;
}

/** A chat completion in the words of another protocol. */
export interface TranslatedCall {
  body: Buffer;
  headers: Readonly<Record<string, string>>;
  /** What was left out because it changes nothing of the answer. */
  ignored: readonly string[];
  answer: TranslatedAnswer;
}

/** Translates the answer to one call, which becomes that of a chat server. */
export interface TranslatedAnswer {
  /** A whole answer, also a refusal. */
  plain(status: number, body: Buffer): Promise<Buffer>;
  /** The next bytes of a stream. Returns whole events. */
  pass(bytes: Buffer): Buffer;
  /** The events at the end of a stream. */
  end(): Buffer;
}

/** The stream of an answer as a chat server would have sent it. */
export async function* translatedStream(body: AnswerBody, answer: TranslatedAnswer): AsyncGenerator<Buffer> {
  for (let chunk = await body.next(); !chunk.done; chunk = await body.next()) {
    const events = answer.pass(chunk.value);
    if (events.length > 0) yield events;
  }
  const last = answer.end();
  if (last.length > 0) yield last;
}

/** How one upstream is asked. */
export interface Way<Content> extends Pick<UpstreamRequest<Content>, 'read'> {
  endpoint: CalledEndpoint;
  isNative: boolean;
  headers: Readonly<Record<string, string>> | undefined;
  body: Buffer;
  ignored: readonly string[];
  /** Makes the answer that of a chat server; undefined if it is none of another protocol. */
  answer?: TranslatedAnswer;
}

const headersOf = ({ contentType }: UpstreamRequest<unknown>): Record<string, string> | undefined =>
  contentType === undefined ? undefined : { 'content-type': contentType };

/** The error says why the request cannot be put in the words of the upstream. Only what has to be translated takes its time. */
export function wayTo<Content>(
  { upstream, model, name }: UpstreamOfModel,
  request: UpstreamRequest<Content>,
): Way<Content> | Promise<Way<Content> | GatewayError> {
  const { native, read, endpoint } = request;
  if (native && upstream.speaks(native.protocol)) {
    const { headers, protocol } = native;
    const body = native.bodyFor(model, name);
    return { endpoint: protocol, isNative: true, headers, body, read: native.read, ignored: [] };
  }
  const body = request.bodyFor(model, name);
  const { otherProtocol } = upstream;
  return otherProtocol && request.translate
    ? translatedWay(otherProtocol, request.translate(otherProtocol, model, body), read)
    : { endpoint, isNative: false, headers: headersOf(request), body, read, ignored: [] };
}

async function translatedWay<Content>(
  endpoint: NativeProtocol,
  translation: Promise<TranslatedCall | GatewayError>,
  read: UpstreamRequest<Content>['read'],
): Promise<Way<Content> | GatewayError> {
  const translated = await translation;
  return translated instanceof GatewayError ? translated : { endpoint, isNative: false, read, ...translated };
}

import { drained } from '@inference/http';
import { type Charge, type UsageOutcome } from '@inference/metering';
import { dataOf, eventOf, type SseEvent, SseEventReader } from '@inference/sse';
import { type Response } from 'express';
import { GatewayError, toOpenAiError } from '../../errors/openai-error';
import { type Cancellation } from '../../upstreams/upstream-call';
import {
  AnswerBrokenOffError,
  CallCancelledError,
  UpstreamFailedError,
} from '../../upstreams/upstream.errors';
import { type UpstreamAnswer } from '../../upstreams/upstreams.service';
import { type NativeCall, type NativeReader, type StreamError } from '../native-call';
import { type ProxyRequest } from '../request/proxy-request';
import { type Produced } from '../usage/produced';
import { type ReportedUsage } from '../usage/reported-usage';
import { eventWithCost } from '../usage/usage-cost';
import { beginStream } from './keep-alive';
import { NativeMeter } from './native-meter';
import { DONE, type EventMeter, StreamMeter } from './stream-meter';

/** Events in the protocol of the client. */
interface NativeAnswer {
  reader: NativeReader;
  failure(error: GatewayError, last: Pick<StreamError, 'head' | 'sequenceNumber'>): SseEvent;
}

/** Stores answers in the words of the client, and says so in them. Never rejects. */
export interface AnswerKeeper {
  /** A plain answer that was charged. Returns what is sent, with headers. */
  keep(body: Buffer): Promise<{ body: Buffer; headers: Record<string, string> }>;
  /** The last events of a stream that was charged. Returns what is sent. */
  keepEvents(last: SseEvent): Promise<SseEvent>;
}

export interface TranslatedBody {
  body: string;
  contentType: string;
}

/** Turns what a chat server answers into the words of another protocol, for one request. */
export interface AnswerTranslation {
  /** For upstreams that speak the protocol, whose answers are not translated. */
  readonly native: NativeCall;
  /** Undefined: the answer is not stored. */
  readonly keeper?: AnswerKeeper | undefined;
  /** An event without content, which is sent in a pause of a stream; a comment if undefined. */
  readonly ping: string | undefined;
  /** An answer that came at once: the events of a stream if its client has asked for one. @param answer with its price, see `readWithCost` */
  plain(answer: object): TranslatedBody;
  refusal(status: number, body: Buffer): TranslatedBody;
  /** Events of a stream. Each character is one byte, as in SseEvent; so it is in what is returned. */
  pass(events: string): string;
  /** The last events of a stream, whose answer is charged or has failed. */
  end(events: string): string;
}

export interface StreamBilling {
  /** The most output tokens that the request allows. */
  maxOutputTokens: number;
  /** Of the upstream request; already cancelled if the client has disconnected. */
  cancellation: Cancellation;
  /** What the client gets instead of the events of the upstream. */
  translation?: AnswerTranslation | undefined;
  /** How the events are read if they are in the client's own protocol, and are passed on. */
  native?: NativeAnswer | undefined;
  /** Undefined: the answer is not stored. */
  keeper?: AnswerKeeper | undefined;
  /** A client that reads nothing for this long counts as disconnected. */
  stallMillis: number;
  /**
   * Returns the charge.
   * @param usage as the upstream reported it, of the whole answer if `isWhole`
   */
  settle(
    outcome: UsageOutcome,
    usage: ReportedUsage | null,
    isWhole: boolean,
    produced: () => Produced,
    finishReason: string | null,
  ): Promise<Charge>;
  /** The call ends without a charge. @param usage as the upstream has reported it all the same */
  onUncharged(usage: ReportedUsage | null): void;
  /** Whether a usage object that the client asked for tells the price. */
  reportsCost: boolean;
  /** The first token has arrived. */
  onFirstToken(): void;
}

/** Events beyond the token limit that an upstream may send per answer, for example with the names of tools. */
const DELTA_SLACK = 16;
/** How long an upstream may take to close the response after [DONE]. */
const HANG_UP_MILLIS = 1_000;

/**
 * Forwards the stream as it arrives, but sends its end only once the request is billed. Returns why it was not billed; null if it was, or
 * if the client has left.
 */
export async function proxyStream(
  answer: UpstreamAnswer<unknown>,
  request: ProxyRequest,
  response: Response,
  {
    cancellation,
    translation,
    native,
    keeper,
    maxOutputTokens,
    settle,
    reportsCost,
    stallMillis,
    onUncharged,
    onFirstToken,
  }: StreamBilling,
): Promise<GatewayError | null> {
  const nativeMeter = native && new NativeMeter(native.reader);
  const meter: EventMeter = nativeMeter ?? new StreamMeter(request.includeUsage, request.choices);
  const failure = (error: GatewayError) =>
    nativeMeter ? native!.failure(error, nativeMeter.last) : errorEvent(error);
  const reader = new SseEventReader();
  const heldBack: SseEvent[] = [];
  let hasFirstToken = false;
  const forward = (events: SseEvent[]): boolean => {
    let ready = '';
    for (const event of events) {
      const sent = meter.read(event);
      if (sent === null) continue;
      // A usage on its own is most likely the end of an answer, also of one that does not say where it ends.
      const waits = meter.isAtEnd || (reportsCost && meter.isUsageAlone && sent === meter.usageEvent);
      if (meter.goesOn) ready += heldBack.splice(0).join('');
      if (waits) heldBack.push(sent);
      else ready += heldBack.length > 0 ? heldBack.splice(0).join('') + sent : sent;
    }
    if (!hasFirstToken && meter.hasFirstToken) {
      hasFirstToken = true;
      onFirstToken();
    }
    if (translation && ready !== '') ready = translation.pass(ready);
    return ready === '' || response.destroyed || response.write(ready, 'latin1');
  };

  let brokeOff = false;
  let wasLeft = false;
  try {
    beginStream(response, answer.status, answer.contentType);
    let chunk: IteratorResult<Buffer> = { done: false, value: answer.head };
    while (!chunk.done) {
      if (!forward(reader.push(chunk.value)) && !(await drained(response, stallMillis))) cancellation.abort();
      if (meter.saidDone) break;
      if (meter.hasMoreDeltasThan(maxOutputTokens + DELTA_SLACK * request.choices))
        throw new Error('The upstream produces more than the request allows.');
      chunk = await answer.rest!.next();
    }
    if (chunk.done) forward(unterminatedEvents(reader));
    else void readToEnd(answer.rest!, cancellation);
  } catch (error) {
    brokeOff = true;
    wasLeft = error instanceof CallCancelledError;
  }
  const { reason } = cancellation;
  const clientLeft = cancellation.aborted && !reason;
  if (brokeOff) cancellation.abort();

  const complete = meter.isComplete && !meter.failed;
  const outcome = complete ? 'completed' : clientLeft ? 'disconnected' : 'interrupted';
  let unserved: GatewayError | null = null;
  let isCharged = false;
  try {
    // Whoever leaves pays for the prompt, which the upstream has; whoever is shut out pays for what was produced.
    const isDue = (wasLeft && clientLeft) || (meter.usage && !brokeOff);
    if (complete || meter.hasProduced || (isDue && !meter.failed)) {
      // What was reported before the end is not the usage of the whole answer.
      const usage = complete && brokeOff && !meter.isUsageFinal ? null : meter.usage;
      const isWhole = complete && meter.isUsageFinal;
      const charge = await settle(outcome, usage, isWhole, () => meter.produced, meter.finishReason);
      isCharged = true;
      if (reportsCost) tellPrice(heldBack, meter.usageEvent, charge, native?.reader.withCost);
    } else {
      onUncharged(meter.usage);
      if (!clientLeft) unserved = reason ?? new UpstreamFailedError();
    }
    if (!complete && !meter.failed)
      heldBack.push(failure(reason ?? (isCharged ? new AnswerBrokenOffError() : new UpstreamFailedError())));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    unserved = error;
    heldBack.splice(0, heldBack.length, failure(error));
  }
  const last = heldBack.join('');
  // Nobody asks for an answer that was cut because its client has left or is shut out.
  const isKept = keeper && isCharged && (complete || !(clientLeft || reason));
  if (!isKept && response.destroyed) return unserved;
  const ending = translation ? translation.end(last) : last;
  const told = isKept ? await keeper.keepEvents(ending) : ending;
  if (!response.destroyed) response.end(told, 'latin1');
  return unserved;
}

/** Adds the price to the last usage of the stream, unless that was sent before the answer was complete. */
function tellPrice(
  heldBack: SseEvent[],
  usageEvent: SseEvent | null,
  charge: Charge,
  withCost = eventWithCost,
): void {
  const at = usageEvent === null ? -1 : heldBack.lastIndexOf(usageEvent);
  if (at !== -1) heldBack[at] = withCost(usageEvent!, charge);
}

/** The complete events at the end that lack their blank line, with one added. Half an event is dropped. */
function unterminatedEvents(reader: SseEventReader): SseEvent[] {
  return reader
    .flush()
    .filter((event) => dataOf(event) === DONE || isJson(dataOf(event)))
    .map((event) => `${event}\n\n`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads on after [DONE]: a connection whose response was read to its end can be reused. */
async function readToEnd(rest: AsyncIterator<Buffer>, cancellation: Cancellation): Promise<void> {
  const timeout = setTimeout(() => cancellation.abort(), HANG_UP_MILLIS);
  try {
    while (!(await rest.next()).done);
  } catch {
    // The response is complete for the client in any case.
  } finally {
    clearTimeout(timeout);
  }
}

/** Tells an error in a stream that has begun. */
export const errorEvent = (error: GatewayError): SseEvent =>
  eventOf(`data: ${JSON.stringify(toOpenAiError(error).body)}\n\n`);

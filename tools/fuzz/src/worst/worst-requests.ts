import fc from 'fast-check';
import { type Agent } from 'undici';
import { type Answer, answerOf, connections } from '../answers';
import { knownFieldsFor } from '../known/known-fields';
import { KnownIds } from '../known/known-ids';
import { type DocumentedOperation, type FuzzRequest, requestsTo } from '../requests/requests';
import { resolved, type Schema } from '../requests/schema';
import { Credentials } from '../site/credentials';
import { NATIVE_MODEL } from '../site/native-server';
import { readOperations } from '../site/operations';
import { MOST_STALL_MILLIS } from '../site/stall-log';
import { SiteState } from '../site/site-state';
import { type Platform } from '../site/platform';
import { CLIENTS, type Crowd, sendAndLeave, WORST_CROWDS } from './worst-crowds';
import { AUDIO_FORMS, WORST_FORMS } from './worst-forms';
import { shapesOf } from './worst-shapes';
import { isForEveryMember, withValueAt, WORST_VALUES } from './worst-values';
import { WORST_HEADS } from './worst-heads';

/** Sizes of which one is the largest body that a handler takes. */
const LIMITS_BYTES = [32 * 2 ** 20, 2 * 2 ** 20, 2 ** 20, 128 * 2 ** 10, 16 * 2 ** 10];
/** Bodies larger than this have their worst value only as a whole and in the members that may be large, so that a run takes minutes. */
const USUAL_BYTES = 2 ** 20;
/** Room for more names and values than any body may have. */
const MOST_BYTES_OF_FEW_MINUTES = 4 * 2 ** 20;
const LARGE_MEMBERS = ['messages', 'prompt', 'input'];
const SAMPLE_SEED = 1;
/** Of a request that has held the thread for too long. */
const RETRIES = 2;
/** What is sent to the model of a chat server, and to one whose server gets it as it is, or in the words of its own protocol. */
const CHATS = new Set([
  'gateway createChatCompletion',
  'gateway createMessage',
  'gateway countMessageTokens',
  'gateway createResponse',
]);
/** In place of a status. */
export const NO_ANSWER = 0;

export interface WorstRequest {
  target: DocumentedOperation;
  /** What the request has much of, and where. */
  kind: string;
  /** Whether it is for the model of a server that speaks other protocols. */
  isNative: boolean;
}

export interface Outcome extends WorstRequest {
  status: number;
  /** Processor time of the longest turn of the service's event loop. */
  stallMillis: number;
}

interface Sent {
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** One client sends it and waits for the answer if absent. */
  crowd?: Crowd;
}

interface SoundBody {
  base: unknown;
  required: Set<string>;
  /** The paths of its members, and one that it does not have. */
  places: string[][];
}

type Sending = [kind: string, sent: () => Sent, isNative?: boolean];

/**
 * What is sent: all requests; or those with one bad value in the place of a whole body and sound bodies of the largest size, which take some
 * minutes; or these alone.
 */
export type Selection = 'all' | 'whole bodies' | 'sound bodies';

/** Sends to each operation the worst bodies, queries and headers that its limits admit, one after the other. */
export class WorstRequests {
  private readonly credentials: Credentials;
  private readonly ids = new KnownIds();
  private readonly samples = new Map<DocumentedOperation, FuzzRequest>();
  private readonly dispatcher: Agent = connections(1);
  private readonly crowdDispatcher: Agent = connections(CLIENTS);

  constructor(private readonly platform: Platform) {
    this.credentials = new Credentials(platform);
    this.ids.learn(platform);
  }

  /** @param service the only one whose operations are called; all if absent */
  async run(
    onOutcome: (outcome: Outcome) => void,
    selection: Selection = 'all',
    service?: string,
  ): Promise<void> {
    // Registers the account with which operations of sign-in are called.
    const state = new SiteState(this.platform, this.credentials);
    await state.read();
    await state.untilOffered();
    for (const target of await readOperations(this.platform)) {
      if (service !== undefined && target.service !== service) continue;
      for (const [kind, sent, isNative = false] of await this.requestsTo(target, selection)) {
        let outcome = await this.measured(target, sent());
        // The collection of other requests' garbage is not due to this one.
        for (let again = 0; again < RETRIES && outcome.stallMillis > MOST_STALL_MILLIS; again++) {
          const { status, stallMillis } = await this.measured(target, sent());
          if (stallMillis < outcome.stallMillis) outcome = { status, stallMillis };
        }
        onOutcome({ target, kind, isNative, ...outcome });
      }
    }
    await Promise.all([this.dispatcher.close(), this.crowdDispatcher.close()]);
  }

  private async requestsTo(target: DocumentedOperation, selection: Selection): Promise<Sending[]> {
    const heads = WORST_HEADS.map(([kind, head]): Sending => [kind, () => head(this.pathOf(target))]);
    const types = Object.keys(target.operation.requestBody?.content ?? {});
    const json = types.find((type) => type.includes('json'));
    const form = types.find((type) => type.startsWith('multipart/'));
    const isAudio = form !== undefined && target.path.startsWith('/v1/audio/');
    const audio = isAudio ? AUDIO_FORMS : [];
    const forms = form === undefined || selection === 'sound bodies' ? [] : WORST_FORMS;
    return [
      ...(selection === 'all' ? heads : []),
      // Before crowds, whose bodies take the account's share of the memory for a while.
      ...[...forms, ...audio].map(([kind, sent]): Sending => [kind, sent]),
      ...(json === undefined ? [] : await this.jsonRequestsTo(target, json, selection)),
    ];
  }

  private async jsonRequestsTo(
    target: DocumentedOperation,
    type: string,
    selection: Selection,
  ): Promise<Sending[]> {
    const largest = await this.limitOf(target, type);
    const limit = selection === 'all' ? largest : Math.min(largest, MOST_BYTES_OF_FEW_MINUTES);
    const models = CHATS.has(target.name) ? ['sandbox-chat', NATIVE_MODEL] : [undefined];
    const bodies = models.flatMap((model) => {
      const given = this.bodyOf(target, model);
      const isNative = model === NATIVE_MODEL;
      const places = selection === 'all' ? given.places : [];
      const values = [...(isNative ? [] : [[]]), ...places].flatMap((path) => valuesAt(path, given, limit));
      return [...shapesOf(target, given.base, largest), ...(selection === 'sound bodies' ? [] : values)].map(
        ([kind, body]): Sending => [
          kind,
          () => ({ headers: { 'Content-Type': type }, body: body() }),
          isNative,
        ],
      );
    });
    if (selection === 'sound bodies') return bodies;
    const crowds = WORST_CROWDS.map(([kind, crowdOf]): Sending => {
      const { headers, ...sent } = crowdOf(limit);
      return [kind, () => ({ ...sent, headers: { 'Content-Type': type, ...headers } })];
    });
    return [...bodies, ...crowds];
  }

  private bodyOf(target: DocumentedOperation, model: string | undefined): SoundBody {
    const body = this.sampleOf(target).body;
    const sample: unknown = body === undefined ? {} : JSON.parse(body);
    const base = model === undefined ? sample : { ...Object(sample), model };
    const [content] = Object.values(target.operation.requestBody!.content);
    const described = schemasOf(content?.schema ?? {}, target);
    const names = described.flatMap(({ properties = {} }) => Object.keys(properties));
    return {
      base,
      required: new Set(described.flatMap(({ required = [] }) => required)),
      places: [
        ...[...new Set([...names, ...membersOf(base)])].map((path) => path.split('.')),
        ['unknown_field'],
      ],
    };
  }

  /** The largest body in bytes that the operation reads. */
  private async limitOf(target: DocumentedOperation, type: string): Promise<number> {
    for (const bytes of LIMITS_BYTES) {
      const body = `{${' '.repeat(bytes - 2)}}`;
      const { status } = await this.send(target, { headers: { 'Content-Type': type }, body });
      if (status !== 413) return bytes;
    }
    return LIMITS_BYTES.at(-1)!;
  }

  private sampleOf(target: DocumentedOperation): FuzzRequest {
    const kept = this.samples.get(target) ?? this.newSampleOf(target);
    this.samples.set(target, kept);
    return kept;
  }

  /** A request as a careful client sends it, with JSON if the operation takes it. */
  private newSampleOf(target: DocumentedOperation): FuzzRequest {
    const known = knownFieldsFor(this.platform, target.name);
    const samples = fc.sample(requestsTo(target, known), { numRuns: 30, seed: SAMPLE_SEED });
    const isWanted = ({ isExemplary, headers }: FuzzRequest) =>
      isExemplary && (headers['Content-Type'] ?? 'json').includes('json');
    return samples.find(isWanted) ?? samples.find(({ isExemplary }) => isExemplary)!;
  }

  private pathOf(target: DocumentedOperation): string {
    const { path, query } = this.sampleOf(target);
    return this.ids.replaceIn(path, 0, () => false) + query;
  }

  private async measured(
    target: DocumentedOperation,
    sent: Sent,
  ): Promise<{ status: number; stallMillis: number }> {
    const { stalls } = this.platform;
    await stalls.longestMillis(target.service);
    const status = await this.statusOf(target, sent).catch(() => NO_ANSWER);
    // A service whose thread is held answers this when it is free again.
    if (status === NO_ANSWER) await fetch(`${target.origin}/healthz`).catch(() => undefined);
    return { status, stallMillis: await stalls.longestMillis(target.service) };
  }

  /** The highest status of a crowd. That of clients that leave is the status with which the service says afterwards that it works. */
  private async statusOf(target: DocumentedOperation, sent: Sent): Promise<number> {
    const { crowd } = sent;
    if (crowd === undefined) return (await this.send(target, sent)).status;
    if (crowd === 'together') {
      const sending = () => this.send(target, sent, this.crowdDispatcher);
      const answers = await Promise.all(Array.from({ length: CLIENTS }, sending));
      return Math.max(...answers.map(({ status }) => status));
    }
    const { url, headers } = await this.addressed(target, sent);
    const outgoing = { method: target.method, headers, body: sent.body ?? '' };
    await Promise.all(Array.from({ length: CLIENTS }, () => sendAndLeave(url, outgoing)));
    return (await answerOf(`${target.origin}/healthz`, { dispatcher: this.dispatcher })).status;
  }

  private async addressed(target: DocumentedOperation, { path, headers }: Sent) {
    const request: FuzzRequest = { ...this.sampleOf(target), presented: 'right', choice: 0 };
    const presentation = await this.credentials.presentationOf(request);
    return {
      url: target.origin + (path ?? this.pathOf(target)),
      headers: { ...presentation.headers, ...headers },
    };
  }

  private async send(target: DocumentedOperation, sent: Sent, dispatcher = this.dispatcher): Promise<Answer> {
    const send = async () => {
      const { url, headers } = await this.addressed(target, sent);
      return answerOf(url, {
        method: target.method as 'POST',
        headers,
        ...(sent.body !== undefined && { body: sent.body }),
        dispatcher,
      });
    };
    const answer = await send();
    if (answer.status !== 401) return answer;
    await this.credentials.replaceIfEnded('guest');
    return send();
  }
}

/** Bodies with each of the worst values at a path; in place of the whole body if the path is empty. */
function valuesAt(
  path: string[],
  { base, required }: SoundBody,
  limit: number,
): [kind: string, body: () => string][] {
  const isOptional = path.length > 0 && !required.has(path[0]!);
  const isLarge = path.length === 0 || LARGE_MEMBERS.includes(path.join('.'));
  const bytes = (isLarge ? limit : Math.min(limit, USUAL_BYTES)) - JSON.stringify(base).length - 64;
  return (isOptional ? WORST_VALUES.filter(isForEveryMember) : WORST_VALUES).map(([kind, jsonOf]) => [
    `${kind} in ${path.join('.') || 'the body'}`,
    () => withValueAt(base, path, jsonOf(bytes)),
  ]);
}

/** A schema, or its variants. */
function schemasOf(schema: Schema, target: DocumentedOperation): Schema[] {
  const one = resolved(schema, target.document);
  const variants = one.oneOf ?? one.anyOf ?? one.allOf;
  return variants ? variants.flatMap((variant) => schemasOf(variant, target)) : [one];
}

/** The paths of the members of a value and of the values within. Of a list they are those of its first entry. */
function membersOf(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return membersOf(value[0]).map((inner) => `0.${inner}`);
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...membersOf(inner).map((path) => `${name}.${path}`),
  ]);
}

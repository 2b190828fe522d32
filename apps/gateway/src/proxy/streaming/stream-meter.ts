import { dataOf, eventOf, type SseEvent } from '@inference/sse';
import { eventWithoutForeignCost, hasForeignCost } from '../usage/foreign-cost';
import { finishReasonOf, type Produced, producedBy } from '../usage/produced';
import { laterUsage, readReportedUsage, type ReportedUsage } from '../usage/reported-usage';
import { eventWithCost } from '../usage/usage-cost';
import { PlainDeltaReader } from './plain-delta';

interface Chunk {
  choices?: unknown;
  usage?: unknown;
  error?: unknown;
}

export const DONE = '[DONE]';
const NULL_USAGE = ',"usage":null';
/** In JSON only of a field, since quotes inside of a text are escaped. */
const TEXT = /"content":"[^"]/;

/** Length of the unread events that a stream keeps; 32 kB are about 100 tokens. Ten times as much would be 300 MB for 1,000 streams. */
const MAX_UNREAD_CHARS = 32 * 1024;

/** What is known of a stream from its events so far. */
export type EventMeter = Pick<
  StreamMeter,
  | 'usage'
  | 'isUsageFinal'
  | 'usageEvent'
  | 'isUsageAlone'
  | 'failed'
  | 'finishReason'
  | 'saidDone'
  | 'isAtEnd'
  | 'goesOn'
  | 'isComplete'
  | 'hasFirstToken'
  | 'hasProduced'
  | 'produced'
  | 'hasMoreDeltasThan'
  | 'read'
>;

/**
 * Observes the events of a stream: what was produced, completeness and reported usage. Removes the usage from the events if the
 * client did not ask for it. What the latest events add to the answers is kept unread: it matters only if the stream breaks off,
 * reports no usage, or may be longer than was admitted.
 */
export class StreamMeter {
  usage: ReportedUsage | null = null;
  /** Whether nothing was added to an answer after the usage was reported. */
  isUsageFinal = false;
  /** The last event with a usage object that is forwarded. */
  usageEvent: SseEvent | null = null;
  /** Whether that event holds no part of an answer. */
  isUsageAlone = false;
  /** The upstream reported an error inside the stream. */
  failed = false;
  /** Of the answer that ended first. */
  finishReason: string | null = null;
  /** The upstream sent [DONE]. */
  saidDone = false;
  /**
   * Whether the event that was read last may be the end of a complete answer. Some servers say before the last texts, or in each chunk,
   * that an answer is finished: an event with a text and no such word is no end.
   */
  isAtEnd = false;
  /** Whether that event adds to an answer that was complete: what came before it is no end either. */
  goesOn = false;
  private readonly plainDeltas = new PlainDeltaReader();
  private deltas = 0;
  private readonly texts: string[] = [];
  private audioTokens = 0;
  private readonly finished = new Set<unknown>();
  private unread: SseEvent[] = [];
  /** Of the unread events, and of some that were read since: an upper bound. */
  private unreadChars = 0;
  private unreadChoices = 0;

  constructor(
    private readonly includeUsage: boolean,
    private readonly choices: number,
  ) {}

  /** Whether every answer is finished. The events that follow only close the stream and wait until the request is billed. */
  get isComplete(): boolean {
    return this.saidDone || this.finished.size >= this.choices;
  }

  /** As `hasProduced`, but of most events without parsing them. */
  get hasFirstToken(): boolean {
    return this.unread.some((event) => TEXT.test(event)) || this.hasProduced;
  }

  get hasProduced(): boolean {
    // The first text of a stream tells it.
    while (this.deltas === 0 && this.unread.length > 0) this.readChoices(this.unread.shift()!);
    return this.deltas > 0;
  }

  get produced(): Produced {
    this.readUnread();
    return { text: this.texts.join(''), audioTokens: this.audioTokens };
  }

  /** Whether more than this number of events have added to an answer; a model sends at most one per token. */
  hasMoreDeltasThan(limit: number): boolean {
    if (this.deltas + this.unreadChoices <= limit) return false;
    this.readUnread();
    return this.deltas > limit;
  }

  /** Reads an event. Returns what to forward to the client, or null to drop the event. */
  read(received: SseEvent): SseEvent | null {
    let event = received;
    const plain = this.plainDeltas.read(event);
    if (plain) {
      this.isUsageFinal = false;
      this.isAtEnd = false;
      this.goesOn = this.isComplete;
      this.keepUnread(event, plain.choices);
      return this.includeUsage ? event : plain.withoutUsage;
    }
    const data = dataOf(event);
    if (data === DONE) this.saidDone = true;
    let chunk = parseChunk(data);
    if (!chunk) {
      this.isAtEnd = this.isComplete;
      this.goesOn = false;
      return event;
    }
    if (chunk.error) this.failed = true;
    if (hasForeignCost(chunk)) {
      event = eventWithoutForeignCost(event);
      chunk = parseChunk(dataOf(event)) ?? chunk;
    }
    const choices = choicesOf(chunk);
    const wasComplete = this.isComplete;
    const finishes = choices.filter((choice) => this.readFinish(choice)).length > 0;
    const addsMore = (this.isComplete || this.isUsageFinal) && choices.some((choice) => adds(choice));
    if (addsMore) this.isUsageFinal = false;
    this.goesOn = wasComplete && addsMore;
    this.isAtEnd = this.isComplete && (finishes || !addsMore);
    // In the order of the stream: behind events that are kept unread, this one is kept too.
    if (this.unread.length > 0) this.keepUnread(event, choices.length);
    else for (const choice of choices) this.readProduced(choice);
    const usage = readReportedUsage(chunk);
    if (usage) {
      this.usage = laterUsage(this.usage, usage);
      this.isUsageFinal = true;
    }
    if (chunk.usage === undefined) return event;
    if (!this.includeUsage) return withoutUsage(event, chunk, choices.length);
    return isObject(chunk.usage) ? this.forwardUsage(event, chunk.usage, choices.length === 0) : event;
  }

  private forwardUsage(event: SseEvent, usage: object, isAlone: boolean): SseEvent {
    const sent = 'cost' in usage || 'cost_details' in usage ? eventWithCost(event, null) : event;
    this.usageEvent = sent;
    this.isUsageAlone = isAlone;
    return sent;
  }

  private keepUnread(event: SseEvent, choices: number): void {
    this.unread.push(event);
    this.unreadChars += event.length;
    this.unreadChoices += choices;
    if (this.unreadChars > MAX_UNREAD_CHARS) this.readUnread();
  }

  private readUnread(): void {
    for (const event of this.unread) this.readChoices(event);
    this.unread = [];
    this.unreadChars = 0;
    this.unreadChoices = 0;
  }

  private readChoices(event: SseEvent): void {
    const chunk = parseChunk(dataOf(event));
    if (chunk) for (const choice of choicesOf(chunk)) this.readProduced(choice);
  }

  private readProduced(choice: unknown): void {
    const produced = producedBy(choice);
    const { text, audioTokens } = produced;
    if (text) this.texts.push(text);
    this.audioTokens += audioTokens;
    if (adds(choice, produced)) this.deltas++;
  }

  /** Returns whether the choice says that its answer is finished. */
  private readFinish(choice: unknown): boolean {
    const { finish_reason: reason, index = 0 } = (choice ?? {}) as {
      finish_reason?: unknown;
      index?: unknown;
    };
    // Some servers send an empty finish_reason until the end.
    if (reason === null || reason === undefined || reason === '') return false;
    this.finished.add(index);
    this.finishReason ??= finishReasonOf(choice);
    return true;
  }
}

const isObject = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const choicesOf = ({ choices }: Chunk): unknown[] => (Array.isArray(choices) ? (choices as unknown[]) : []);

/** Whether a choice adds to its answer: text, or something else, such as audio. */
function adds(choice: unknown, { text, audioTokens } = producedBy(choice)): boolean {
  if (text || audioTokens > 0) return true;
  const { delta } = (choice ?? {}) as { delta?: Record<string, unknown> | null };
  return Object.entries(delta ?? {}).some(
    ([name, value]) => name !== 'role' && value !== null && typeof value === 'object',
  );
}

function parseChunk(data: string): Chunk | null {
  if (!data.trimStart().startsWith('{')) return null;
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    return null;
  }
}

function withoutUsage(event: SseEvent, chunk: Chunk, choiceCount: number): SseEvent | null {
  if (chunk.usage !== null && choiceCount === 0) return null;
  // Inside a JSON string the quotes would be escaped, so the match is the field itself.
  if (chunk.usage === null && event.includes(NULL_USAGE)) return event.replace(NULL_USAGE, '');
  const { usage: _usage, ...rest } = chunk;
  return eventOf(`data: ${JSON.stringify(rest)}\n\n`);
}

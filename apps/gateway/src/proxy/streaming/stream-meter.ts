import { type TokenUsage } from '@inference/metering';
import { readReportedUsage } from '../usage/reported-usage';
import { choiceText } from '../usage/message-text';
import { type SseEvent } from './sse-event-reader';

interface Chunk {
  choices?: unknown;
  usage?: unknown;
  error?: unknown;
}

export const DONE = '[DONE]';
const NULL_USAGE = ',"usage":null';

/**
 * Observes the events of a stream: produced text, completeness and reported usage. Removes the usage from the events if the
 * client did not ask for it.
 */
export class StreamMeter {
  usage: TokenUsage | null = null;
  /** The upstream reported an error inside the stream. */
  failed = false;
  /** The upstream sent [DONE]. */
  saidDone = false;
  /** Number of events that added to an answer; a model sends at most one per token. */
  deltas = 0;
  private readonly produced: string[] = [];
  private readonly finished = new Set<unknown>();

  constructor(
    private readonly includeUsage: boolean,
    private readonly choices: number,
  ) {}

  /** Whether every answer is finished. The events that follow only close the stream and wait until the request is billed. */
  get isComplete(): boolean {
    return this.saidDone || this.finished.size >= this.choices;
  }

  get hasProduced(): boolean {
    return this.deltas > 0;
  }

  get producedText(): string {
    return this.produced.join('');
  }

  /** Reads an event. Returns the bytes to forward to the client, or null to drop the event. */
  read({ bytes, data }: SseEvent): Buffer | null {
    if (data === DONE) {
      this.saidDone = true;
      return bytes;
    }
    const chunk = parseChunk(data);
    if (!chunk) return bytes;
    if (chunk.error) this.failed = true;
    const choices = Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : [];
    for (const choice of choices) this.readChoice(choice);
    if (chunk.usage === undefined) return bytes;
    const usage = readReportedUsage(chunk.usage);
    if (usage) this.usage = usage;
    return this.includeUsage ? bytes : withoutUsage(bytes, chunk, choices.length);
  }

  private readChoice(choice: unknown): void {
    const text = choiceText(choice);
    if (text) this.produced.push(text);
    if (text || addsNonText(choice)) this.deltas++;
    const { finish_reason: reason, index = 0 } = (choice ?? {}) as {
      finish_reason?: unknown;
      index?: unknown;
    };
    // Some servers send an empty finish_reason until the end.
    if (reason !== null && reason !== undefined && reason !== '') this.finished.add(index);
  }
}

/** Whether the delta of a choice holds something other than text, such as audio. */
function addsNonText(choice: unknown): boolean {
  const { delta } = (choice ?? {}) as { delta?: Record<string, unknown> | null };
  return Object.entries(delta ?? {}).some(
    ([name, value]) => name !== 'role' && value !== null && typeof value === 'object',
  );
}

function parseChunk(data: string): Chunk | null {
  if (!data.startsWith('{')) return null;
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    return null;
  }
}

function withoutUsage(bytes: Buffer, chunk: Chunk, choiceCount: number): Buffer | null {
  if (chunk.usage === null) {
    const text = bytes.toString('utf8');
    // Inside a JSON string the quotes would be escaped, so the match is the field itself.
    if (text.includes(NULL_USAGE)) return Buffer.from(text.replace(NULL_USAGE, ''));
  } else if (choiceCount === 0) {
    return null;
  }
  const { usage: _usage, ...rest } = chunk;
  return Buffer.from(`data: ${JSON.stringify(rest)}\n\n`);
}

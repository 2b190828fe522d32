import { type TokenUsage } from '@inference/metering';
import { readReportedUsage } from '../usage/reported-usage';
import { choiceText } from './produced-text';
import { type SseFrame } from './sse-frames';

interface Chunk {
  choices?: unknown;
  usage?: unknown;
  error?: unknown;
}

export const DONE = '[DONE]';
const NULL_USAGE = ',"usage":null';

/**
 * Watches a stream go by: what it produced, whether it is complete, the usage it reports; and takes out of it
 * the usage that the client did not ask for.
 */
export class StreamMeter {
  usage: TokenUsage | null = null;
  /** The upstream reported an error inside the stream. */
  failed = false;
  /** The upstream said [DONE]: it is to send nothing more. */
  saidDone = false;
  /** Events that added to an answer; a model makes at most one for a token. */
  deltas = 0;
  private readonly produced: string[] = [];
  private readonly finished = new Set<unknown>();

  constructor(
    private readonly includeUsage: boolean,
    private readonly choices: number,
  ) {}

  /** Every answer is finished: what follows only closes the stream, and waits until the request is billed. */
  get isComplete(): boolean {
    return this.saidDone || this.finished.size >= this.choices;
  }

  get hasProduced(): boolean {
    return this.deltas > 0;
  }

  get producedText(): string {
    return this.produced.join('');
  }

  /** Reads an event; returns the bytes that the client gets for it, or null for none. */
  read({ bytes, data }: SseFrame): Buffer | null {
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
    if (text || addsOther(choice)) this.deltas++;
    const { finish_reason: reason, index = 0 } = (choice ?? {}) as {
      finish_reason?: unknown;
      index?: unknown;
    };
    // Some servers send an empty text until the end.
    if (reason !== null && reason !== undefined && reason !== '') this.finished.add(index);
  }
}

/** Whether a choice's delta brings something that is not text, such as audio. */
function addsOther(choice: unknown): boolean {
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
    // Inside a JSON string the quotes would be escaped, so this can only be the field itself.
    if (text.includes(NULL_USAGE)) return Buffer.from(text.replace(NULL_USAGE, ''));
  } else if (choiceCount === 0) {
    return null;
  }
  const { usage: _usage, ...rest } = chunk;
  return Buffer.from(`data: ${JSON.stringify(rest)}\n\n`);
}

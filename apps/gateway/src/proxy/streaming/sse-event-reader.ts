const LF = 10;
const CR = 13;
/** Far more than a token with its alternatives, or a piece of audio. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * A server-sent event as received, including the blank line. Each character is one byte of the stream (latin1): such text is cut
 * and searched without decoding, and written as the same bytes.
 */
export type SseEvent = string;

/** The bytes of an event. */
export const bytesOf = (event: SseEvent): Buffer => Buffer.from(event, 'latin1');

/** An event of this text. */
export const eventOf = (text: string): SseEvent => Buffer.from(text).toString('latin1');

/** The data of an event, decoded. */
export function dataOf(event: SseEvent): string {
  const lines: string[] = [];
  for (const line of bytesOf(event)
    .toString('utf8')
    .split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) lines.push(line.slice(line.startsWith('data: ') ? 6 : 5));
  }
  return lines.join('\n');
}

/** Index behind the blank line of the first event, or -1. */
function endOfEvent(text: string, from: number): number {
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (next === LF) return at + 2;
    if (next === CR && text.charCodeAt(at + 2) === LF) return at + 3;
  }
  return -1;
}

/** Splits a byte stream into server-sent events, independent of the boundaries of its chunks. */
export class SseEventReader {
  private rest = '';

  /** Adds a chunk and returns the events that are complete. Throws if an event has more than 16 MiB. */
  push(chunk: Buffer): SseEvent[] {
    const added = chunk.toString('latin1');
    const text = this.rest + added;
    const events: SseEvent[] = [];
    let start = 0;
    // An event ends with a line feed. Without one nothing is searched, which would copy a long event for each of its chunks.
    if (!added.includes('\n')) return this.keep(text, events);
    for (let end = endOfEvent(text, 0); end !== -1; end = endOfEvent(text, start)) {
      events.push(text.slice(start, end));
      start = end;
    }
    return this.keep(text.slice(start), events);
  }

  private keep(rest: string, events: SseEvent[]): SseEvent[] {
    if (rest.length > MAX_EVENT_BYTES) throw new Error('An event of the stream is too long.');
    this.rest = rest;
    return events;
  }

  /** Returns the rest behind the last blank line as an event. */
  flush(): SseEvent[] {
    const { rest } = this;
    this.rest = '';
    return rest === '' ? [] : [rest];
  }
}

const LF = 10;
const CR = 13;

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

  /** Adds a chunk and returns the events that are complete. */
  push(chunk: Buffer): SseEvent[] {
    const text = this.rest + chunk.toString('latin1');
    const events: SseEvent[] = [];
    let start = 0;
    for (let end = endOfEvent(text, 0); end !== -1; end = endOfEvent(text, start)) {
      events.push(text.slice(start, end));
      start = end;
    }
    this.rest = text.slice(start);
    return events;
  }

  /** Returns the rest behind the last blank line as an event. */
  flush(): SseEvent[] {
    const { rest } = this;
    this.rest = '';
    return rest === '' ? [] : [rest];
  }
}

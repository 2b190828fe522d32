const LF = 10;
const CR = 13;

/** A server-sent event as received: its bytes, including the blank line, and its data. */
export interface SseEvent {
  bytes: Buffer;
  data: string;
}

function dataOf(text: string): string {
  const lines: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) lines.push(line.slice(line.startsWith('data: ') ? 6 : 5));
  }
  return lines.join('\n');
}

/** Index behind the blank line of the first event in the buffer, or -1. */
function endOfEvent(buffer: Buffer, from: number): number {
  for (let at = buffer.indexOf(LF, from); at !== -1; at = buffer.indexOf(LF, at + 1)) {
    if (buffer[at + 1] === LF) return at + 2;
    if (buffer[at + 1] === CR && buffer[at + 2] === LF) return at + 3;
  }
  return -1;
}

/** Splits a byte stream into server-sent events, independent of the boundaries of its chunks. */
export class SseEventReader {
  private rest: Buffer = Buffer.alloc(0);

  /** Adds a chunk and returns the events that are complete. */
  push(chunk: Buffer): SseEvent[] {
    let buffer = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const events: SseEvent[] = [];
    for (let end = endOfEvent(buffer, 0); end !== -1; end = endOfEvent(buffer, 0)) {
      const bytes = buffer.subarray(0, end);
      events.push({ bytes, data: dataOf(bytes.toString('utf8')) });
      buffer = buffer.subarray(end);
    }
    this.rest = buffer;
    return events;
  }

  /** Returns the rest behind the last blank line as an event. */
  flush(): SseEvent[] {
    const bytes = this.rest;
    this.rest = Buffer.alloc(0);
    return bytes.length === 0 ? [] : [{ bytes, data: dataOf(bytes.toString('utf8')) }];
  }
}

const LF = 10;
const CR = 13;

/** A server-sent event as it came: its bytes with the blank line behind it, and its data. */
export interface SseFrame {
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

/** The end of the first event in the buffer (past its blank line), or -1. */
function endOfEvent(buffer: Buffer, from: number): number {
  for (let at = buffer.indexOf(LF, from); at !== -1; at = buffer.indexOf(LF, at + 1)) {
    if (buffer[at + 1] === LF) return at + 2;
    if (buffer[at + 1] === CR && buffer[at + 2] === LF) return at + 3;
  }
  return -1;
}

/** Cuts a byte stream into events, wherever its chunks happen to end. */
export class SseFrameReader {
  private rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): SseFrame[] {
    let buffer = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const frames: SseFrame[] = [];
    for (let end = endOfEvent(buffer, 0); end !== -1; end = endOfEvent(buffer, 0)) {
      const bytes = buffer.subarray(0, end);
      frames.push({ bytes, data: dataOf(bytes.toString('utf8')) });
      buffer = buffer.subarray(end);
    }
    this.rest = buffer;
    return frames;
  }

  /** What came after the last blank line: an event that the sender did not finish with one. */
  flush(): SseFrame[] {
    const bytes = this.rest;
    this.rest = Buffer.alloc(0);
    return bytes.length === 0 ? [] : [{ bytes, data: dataOf(bytes.toString('utf8')) }];
  }
}

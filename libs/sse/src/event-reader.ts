const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
/** Far more than a token with its alternatives, or a piece of audio. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * A server-sent event with its blank line, as received but for the ends of its lines, which are line feeds. Each character is one byte
 * (latin1): such text is cut and searched without decoding, and written as the same bytes.
 */
export type SseEvent = string;

/** The bytes of an event. */
export const bytesOf = (event: SseEvent): Buffer => Buffer.from(event, 'latin1');

/** An event of this text. */
export const eventOf = (text: string): SseEvent => Buffer.from(text).toString('latin1');

const DATA = 'data: ';
/** Whether an event has one line, with data. */
const isOneLine = (event: SseEvent): boolean =>
  event.startsWith(DATA) && event.indexOf('\n') === event.length - 2 && event.endsWith('\n');

/** The data of an event, decoded; empty without any. */
export function dataOf(event: SseEvent): string {
  if (isOneLine(event)) return bytesOf(event.slice(DATA.length, -2)).toString('utf8');
  const lines: string[] = [];
  for (const line of bytesOf(event).toString('utf8').split('\n')) {
    if (line.startsWith('data:')) lines.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    else if (line === 'data') lines.push('');
  }
  return lines.join('\n');
}

/**
 * Splits a byte stream into server-sent events, independent of the boundaries of its chunks, as WHATWG specifies event streams: a line
 * ends with CR LF, LF or CR, and a byte order mark may stand at the beginning.
 */
export class SseEventReader {
  private rest = '';
  private hasBegun = false;
  private endedWithCr = false;

  /** Adds a chunk and returns the events that are complete. Throws if an event has more than 16 MiB. */
  push(chunk: Buffer): SseEvent[] {
    const added = this.withLineFeeds(chunk.toString('latin1'));
    const text = this.rest + added;
    const events: SseEvent[] = [];
    let start = 0;
    // An event ends with a line feed. Without one nothing is searched, which would copy a long event for each of its chunks.
    if (!added.includes('\n')) return this.keep(text, events);
    if (!this.hasBegun) start = this.begin(text);
    for (let end = text.indexOf('\n\n', start); end !== -1; end = text.indexOf('\n\n', start)) {
      events.push(text.slice(start, end + 2));
      start = end + 2;
    }
    return this.keep(text.slice(start), events);
  }

  private withLineFeeds(added: string): string {
    // A CR has ended the line before, so that its event does not wait for a LF.
    const from = this.endedWithCr && added.startsWith('\n') ? 1 : 0;
    if (added !== '') this.endedWithCr = added.endsWith('\r');
    const lines = from === 0 ? added : added.slice(from);
    return lines.includes('\r') ? lines.replace(/\r\n?/g, '\n') : lines;
  }

  /** Where the first line begins. */
  private begin(text: string): number {
    this.hasBegun = true;
    return text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  }

  private keep(rest: string, events: SseEvent[]): SseEvent[] {
    if (rest.length > MAX_EVENT_BYTES) throw new Error('An event of the stream is too long.');
    this.rest = rest;
    return events;
  }

  /** Returns the rest behind the last blank line as an event. */
  flush(): SseEvent[] {
    const rest = this.hasBegun ? this.rest : this.rest.slice(this.begin(this.rest));
    this.rest = '';
    return rest === '' ? [] : [rest];
  }
}

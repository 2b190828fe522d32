import fc from 'fast-check';
import { bytesOf, dataOf, SseEventReader } from './sse-event-reader';

/** Events of a byte sequence that arrives in these chunks. */
function eventsOf(pieces: Buffer[]): { text: string; data: string }[] {
  const reader = new SseEventReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.flush()].map((event) => ({
    text: bytesOf(event).toString('utf8'),
    data: dataOf(event),
  }));
}

function cut(bytes: Buffer, places: number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...sorted, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : sorted[i - 1], end));
}

const read = (text: string) => eventsOf([Buffer.from(text)]);

describe('SseEventReader', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['a mixture', 'data: a\n\r\ndata: b\r\n\n'],
    ['no space', 'data:a\n\ndata:b\n\n'],
    ['no blank line at the end', 'data: a\n\ndata: b'],
    ['comments', ': hello\ndata: a\n\ndata: b\n: bye\n\n'],
    ['other fields', 'event: x\nid: 5\ndata: a\n\nretry: 10\ndata: b\n\n'],
  ])('reads events with %s', (_what, text) => {
    const events = read(text);
    expect(events.map(({ data }) => data)).toEqual(['a', 'b']);
    expect(events.map((event) => event.text).join('')).toBe(text);
  });

  it('joins the data lines of one event', () => {
    expect(read('data: a\ndata:  b\ndata:\ndata: data: c\n\n')).toMatchObject([{ data: 'a\n b\n\ndata: c' }]);
  });

  it('returns comments and empty events as events without data', () => {
    expect(read(': ping\n\n\n\ndata: a\n\n').map(({ data }) => data)).toEqual(['', '', 'a']);
  });

  it('has nothing left after the last blank line', () => {
    const reader = new SseEventReader();
    expect(reader.push(Buffer.from('data: a\n\n'))).toHaveLength(1);
    expect(reader.flush()).toEqual([]);
  });

  it('refuses an event of more than 16 MiB', () => {
    const reader = new SseEventReader();
    const mebibyte = Buffer.alloc(2 ** 20, 'x');
    for (let received = 0; received < 16; received++) expect(reader.push(mebibyte)).toEqual([]);
    expect(() => reader.push(Buffer.from('x'))).toThrow('too long');
  });

  it('finds the same events at any chunk boundaries', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
      fc.constantFrom(': ping', 'event: x', 'data:', 'data: {"content":"漢字 🦜 é"}', 'data: [DONE]', ''),
    );
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\n', '\r\n')))
      .map((lines) => Buffer.from(lines.map((parts) => parts.join('')).join('')));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (bytes, places) => {
        const whole = eventsOf([bytes]);
        expect(eventsOf(cut(bytes, places))).toEqual(whole);
        expect(eventsOf([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
        expect(Buffer.from(whole.map(({ text }) => text).join(''))).toEqual(bytes);
      }),
    );
  });
});

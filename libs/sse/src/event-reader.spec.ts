import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { bytesOf, dataOf, SseEventReader } from './event-reader';

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

/** The same lines with the ends that events have, without a byte order mark. */
const withLineFeeds = (text: string) => text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');

const read = (text: string) => eventsOf([Buffer.from(text)]);

describe('SseEventReader', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['a mixture', 'data: a\n\r\ndata: b\r\n\n'],
    ['CR and LF in turn', 'data: a\r\n\rdata: b\n\r'],
    ['a byte order mark', '\ufeffdata: a\n\ndata: b\n\n'],
    ['no space', 'data:a\n\ndata:b\n\n'],
    ['no blank line at the end', 'data: a\n\ndata: b'],
    ['comments', ': hello\ndata: a\n\ndata: b\n: bye\n\n'],
    ['other fields', 'event: x\nid: 5\ndata: a\n\nretry: 10\ndata: b\n\n'],
    ['fields that only begin so', 'data: a\ndatum: x\n data: y\ndata : z\n\ndata: b\n\n'],
  ])('reads events with %s', (_what, text) => {
    const events = read(text);
    expect(events.map(({ data }) => data)).toEqual(['a', 'b']);
    expect(events.map((event) => event.text).join('')).toBe(withLineFeeds(text));
  });

  it('gives an event out at the CR that ends it, and takes the LF behind it for the same end', () => {
    const reader = new SseEventReader();
    expect(reader.push(Buffer.from('data: a\r\n\r'))).toEqual(['data: a\n\n']);
    expect(reader.push(Buffer.from('\ndata: b\r'))).toEqual([]);
    expect(reader.push(Buffer.from('\r'))).toEqual(['data: b\n\n']);
  });

  it('takes a field without a colon for one that is empty', () => {
    expect(read('data\ndata: a\ndata\n\n')).toMatchObject([{ data: '\na\n' }]);
  });

  it('takes a byte order mark that is no beginning for text', () => {
    expect(read('data: \ufeffa\n\n\ufeffdata: b\n\n').map(({ data }) => data)).toEqual(['\ufeffa', '']);
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
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    const stream = fc
      .tuple(
        fc.constantFrom('', '\ufeff'),
        fc.array(fc.tuple(line, ending, fc.oneof(fc.constant(''), ending))),
      )
      .map(([mark, lines]) => mark + lines.map((parts) => parts.join('')).join(''));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (text, places) => {
        const bytes = Buffer.from(text);
        const whole = eventsOf([bytes]);
        expect(eventsOf(cut(bytes, places))).toEqual(whole);
        expect(eventsOf([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
        expect(whole.map((event) => event.text).join('')).toBe(withLineFeeds(text));
      }),
    );
  });

  it('reads what another parser of event streams reads', () => {
    const line = fc.constantFrom(
      'data: a',
      'data:b',
      'data',
      'data:',
      ': c',
      'event: e',
      'id: 1',
      'dat: d',
      '',
    );
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    const stream = fc
      .array(fc.tuple(line, ending))
      .map((lines) => lines.map((parts) => parts.join('')).join(''));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 5 }), (text, places) => {
        // Complete events: that parser drops the rest, and it gives out events whose data is empty.
        const whole = `${text}\n\n`;
        const expected: string[] = [];
        const parser = createParser({ onEvent: ({ data }) => void expected.push(data) });
        parser.feed(withLineFeeds(whole));
        const events = eventsOf(cut(Buffer.from(whole), places));
        expect(events.map(({ data }) => data).filter((data) => data !== '')).toEqual(
          expected.filter((data) => data !== ''),
        );
      }),
    );
  });
});

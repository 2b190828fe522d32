import { EPUB, type MediaType, MSG, ODT, PPTX, XLSX } from '../../tables/media-type';
import { builtThread, textOf } from '../extraction-thread/extraction-thread.fixture';
import { attachment, msg, recipient } from './mail/msg.fixture';
import { epub, odt, pptx, row, shape, xlsx } from './office/office.fixture';

const FILES = Number(process.env.DAMAGED_FILES ?? 1_000);
const WORDS = 'The kettle boils, and 退款 is paid within a week. '.repeat(20);

const SOUND: [MediaType, Buffer][] = [
  [XLSX, xlsx([['name="S"', Array.from({ length: 30 }, () => row('a', WORDS, '3')).join('')]])],
  [PPTX, pptx([shape(WORDS), shape('Two'), shape('Three')])],
  [ODT, odt(`<text:h>Head</text:h>${`<text:p>${WORDS}</text:p>`.repeat(20)}`)],
  [EPUB, epub({ 'a.xhtml': `<p>${WORDS}</p>`, 'b.xhtml': '<p>Two' }, ['a.xhtml', 'b.xhtml'])],
  ['text/csv', Buffer.from('a,"b ""c""",d\n'.repeat(200))],
  [
    'application/rtf',
    Buffer.from(
      `{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset134 S;}}${"\\f0 a\\'cd\\par{\\b x}\\u9000? ".repeat(99)}}`,
    ),
  ],
  [
    'message/rfc822',
    Buffer.from(
      `From: a@b.c\r\nSubject: S\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\n${WORDS}\r\n--x\r\nContent-Type: text/csv\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\n${Buffer.from('x,y\n'.repeat(99)).toString('base64')}\r\n--x--\r\n`,
    ),
  ],
  [
    MSG,
    msg(
      { '0037': 'S', '1000': WORDS },
      {
        '__recip_version1.0_#00000000': recipient('B', 'b@c.d'),
        '__attach_version1.0_#00000000': attachment('a.txt', Buffer.from(WORDS)),
      },
    ),
  ],
];

/** A generator of numbers below `limit` that gives the same ones for a seed (mulberry32). */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** Changes, removes or repeats some bytes. */
function damaged(file: Buffer, next: (limit: number) => number): Buffer {
  let bytes = Buffer.from(file);
  for (let n = next(8); n >= 0; n--) {
    const at = next(bytes.length || 1);
    const to = Math.min(bytes.length, at + 1 + next(64));
    const kind = next(4);
    if (kind === 0 && at < bytes.length) bytes[at] = next(256);
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
    else if (next(6) === 0) bytes = bytes.subarray(0, at);
  }
  return bytes;
}

// A damaged chain of sectors may go round in a loop, which the limit of time ends.
const extractor = builtThread({ timeoutSeconds: 2 });
afterAll(() => extractor.close());

/** Time for one file on a slow machine that does other work. */
const FILE_MS = 4_000;

it.each(SOUND)(
  'damaged files of %s are read or refused with a reason',
  async (mediaType, sound) => {
    const outcomes = new Map<string, number>();
    for (let seed = 1; seed <= FILES; seed++) {
      const outcome = await textOf(extractor, damaged(sound, numbers(seed)), mediaType).then(
        () => 'read',
        (error: { code?: string; message: string }) => error.code ?? `seed ${seed}: ${error.message}`,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    console.log(`${mediaType}: ${JSON.stringify(Object.fromEntries(outcomes))}`);
    const known = ['read', 'empty', 'corrupt', 'encrypted', 'unsupported', 'too_long', 'too_complex'];
    expect([...outcomes.keys()].filter((outcome) => !known.includes(outcome))).toEqual([]);
  },
  FILES * FILE_MS,
);

interface Form {
  headers: Record<string, string>;
  body: string | Buffer;
}

const BOUNDARY = 'fuzz-boundary';
const BYTES = 2 ** 20;

const part = (disposition: string, content: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const FILE = part('name="file"; filename="note.txt"', 'text');

function form(...parts: string[]): Form {
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: `${parts.join('')}--${BOUNDARY}--\r\n`,
  };
}

const filled = (text: string): string => text.repeat(Math.floor(BYTES / text.length));

/** Forms that cost the most time to read, check or refuse. */
export const WORST_FORMS: [kind: string, formOf: () => Form][] = [
  ['form fields', () => form(filled(part('name="a"', '')), FILE)],
  ['a long form field', () => form(part('name="title"', filled('a')), FILE)],
  ['a form field of JSON', () => form(part('name="metadata"', `{"a":${filled('[')}`), FILE)],
  ['a long name of a form field', () => form(part(`name="${filled('a')}"`, ''), FILE)],
  ['a long file name', () => form(part(`name="file"; filename="${filled('a')}"`, 'text'))],
  ['an escaped file name', () => form(part(`name="file"; filename*=utf-8''${filled('%41')}`, 'text'))],
  ['boundaries', () => form(part('name="file"; filename="a.txt"', filled(`\r\n--${BOUNDARY.slice(1)}`)))],
  ['carriage returns', () => form(part('name="file"; filename="a.txt"', filled('\r')))],
  ['headers of a part', () => ({ ...form(), body: `--${BOUNDARY}\r\n${filled('X: a\r\n')}\r\n` })],
];

/** The most that the gateway takes of a form with audio. */
const AUDIO_BYTES = 25 * 2 ** 20;

/** A page of Ogg with 255 packets, the shortest for its work. */
function page(packetBytes: number): Buffer {
  const bytes = Buffer.alloc(282, packetBytes);
  bytes.write('OggS\0\0\0\0');
  bytes[26] = 255;
  return bytes;
}
const OPUS_HEAD = Buffer.alloc(36);
OPUS_HEAD.write('OggS');
OPUS_HEAD.set([1, 8], 26);
OPUS_HEAD.write('OpusHead', 28);

/** A form with a model and audio that is filled with a piece. */
function audio(piece: Buffer, head = Buffer.alloc(0)): Form {
  const before = Buffer.from(
    part('name="model"', 'sandbox-audio') + part('name="file"; filename="a.ogg"', '').slice(0, -2),
  );
  const after = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const room = AUDIO_BYTES - before.length - head.length - after.length;
  const content = Buffer.alloc(room - (room % piece.length), piece);
  return { ...form(), body: Buffer.concat([before, head, content, after]) };
}

/** Audio whose length takes the most time to read. */
export const AUDIO_FORMS: typeof WORST_FORMS = [
  ['packets of Opus', () => audio(page(1), OPUS_HEAD)],
  ['empty packets of Opus', () => audio(page(0), OPUS_HEAD)],
  ['frames of MP3', () => audio(Buffer.from([0xff, 0xf3, 0x18, ...Array<number>(21).fill(0)]))],
  ['zeros behind a frame of MP3', () => audio(Buffer.alloc(1), Buffer.from([0xff, 0xf3, 0x18, 0]))],
];

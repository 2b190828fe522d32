import fc from 'fast-check';
import { audioDuration } from './audio-duration';

/** The beginning of a file, and zeros up to its size. */
const file = (size: number, ...parts: [at: number, bytes: number[] | string | Buffer][]): Buffer => {
  const bytes = Buffer.alloc(size);
  for (const [at, part] of parts)
    (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)).copy(bytes, at);
  return bytes;
};
const big = (value: number, size = 4) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
};
const little = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

it.each<[string, Buffer, number]>([
  // 16 kHz in the upper 20 bits, 320,000 samples.
  ['FLAC', file(100_000, [0, 'fLaC'], [18, big(16_000 << 4, 3)], [22, big(320_000)]), 20],
  [
    'Ogg with Opus',
    file(50_000, [0, 'OggS'], [28, 'OpusHead'], [49_000, 'OggS'], [49_006, little(48_000n * 25n)]),
    25,
  ],
  [
    'Ogg with Vorbis',
    file(
      50_000,
      [0, 'OggS'],
      [28, '\x01vorbis'],
      [40, [0x80, 0xbb, 0, 0]],
      [49_000, 'OggS'],
      [49_006, little(480_000n)],
    ),
    10,
  ],
  ['MP4', file(90_000, [4, 'ftyp'], [60, 'mvhd'], [76, big(1_000)], [80, big(30_500)]), 31],
  [
    'MP4 with its header at the end',
    file(9_000_000, [4, 'ftyp'], [8_999_000, 'mvhd'], [8_999_016, big(600)], [8_999_020, big(600 * 90)]),
    90,
  ],
  // Version 1, 128 kbit/s, 44.1 kHz: 16,000 bytes a second.
  ['MP3', file(160_000, [0, [0xff, 0xfb, 0x90, 0]]), 10],
  ['MP3 behind its tags', file(160_000, [0, 'ID3\x04\0\0\0\0\x01\0'], [138, [0xff, 0xfb, 0x90, 0]]), 10],
  [
    'MP3 with changing rates',
    file(160_000, [0, [0xff, 0xfb, 0x90, 0]], [36, 'Xing'], [43, [1]], [44, big(765)]),
    20,
  ],
])('reads the length of %s', (_title, bytes, seconds) => {
  expect(audioDuration(bytes)).toEqual({ seconds, mostSeconds: seconds + 1 });
});

it.each([
  ['no audio', file(30_000)],
  ['a short file', Buffer.from('OggS')],
  ['FLAC without a length', file(30_000, [0, 'fLaC'], [18, big(16_000 << 4, 3)])],
  ['MP4 without a header', file(30_000, [4, 'ftyp'])],
  ['a frame that is none', file(30_000, [0, [0xff, 0xfb, 0xff, 0xff]])],
])('estimates the length of %s by its size, and sets more aside', (_title, bytes) => {
  expect(audioDuration(bytes)).toEqual({
    seconds: Math.ceil(bytes.length / 4_000),
    mostSeconds: Math.ceil(bytes.length / 750) + 1,
  });
});

it('believes no header that makes a long file short, or a short one long', () => {
  const claims = (samples: number) =>
    file(1_920_000, [0, 'fLaC'], [18, big(16_000 << 4, 3)], [22, big(samples)]);
  expect(audioDuration(claims(16_000)).seconds).toBe(10);
  expect(audioDuration(claims(0xffff_ffff)).seconds).toBe(2_560);
});

it('takes any bytes, also those that end within a header', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  const magic = fc.constantFrom(
    '',
    'RIFF\0\0\0\0WAVEfmt ',
    'fLaC',
    'OggS',
    '\0\0\0\0ftyp',
    'ID3',
    '\xff\xfb\x90',
  );
  const header = fc.constantFrom('', 'fmt ', '\x01vorbis', 'OpusHead', 'OggS', 'mvhd', 'Xing\0\0\0\x01');
  const rest = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(magic, rest(200), header, rest(60), (start, between, inside, behind) => {
      const { seconds, mostSeconds } = audioDuration(
        Buffer.concat([bytes(start), between, bytes(inside), behind]),
      );
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(mostSeconds).toBeGreaterThanOrEqual(seconds);
    }),
    {
      examples: [
        ['OggS', Buffer.alloc(0), '\x01vorbis', Buffer.alloc(0)],
        ['OggS', Buffer.alloc(113), '\x01vorbis', Buffer.alloc(60)],
        ['\xff\xfb\x90', Buffer.alloc(187), 'Xing\0\0\0\x01', Buffer.alloc(2)],
      ],
    },
  );
});

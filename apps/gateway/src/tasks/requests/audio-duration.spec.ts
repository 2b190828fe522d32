import { atOnce } from '@inference/http';
import fc from 'fast-check';
import { audioDuration as durationSteps } from './audio-duration';

const audioDuration = (bytes: Buffer) => atOnce(durationSteps(bytes));

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

/** A page with these packets, each shorter than 255 bytes. */
const page = (position: bigint, packets: Buffer[]): Buffer =>
  Buffer.concat([
    file(27, [0, 'OggS'], [6, little(position)], [26, [packets.length]]),
    Buffer.from(packets.map(({ length }) => length)),
    ...packets,
  ]);
/** Packets of 20 ms at 32 kbit/s. */
function opus(seconds: number, position: bigint): Buffer {
  const packets = Array.from({ length: Math.round(seconds * 50) }, () => file(80, [0, [0x08]]));
  const pages = [page(0n, [Buffer.from('OpusHead\x01')]), page(0n, [Buffer.from('OpusTags')])];
  while (packets.length > 0) pages.push(page(position, packets.splice(0, 100)));
  return Buffer.concat(pages);
}
const vorbis = (size: number, position: bigint) =>
  file(size, [0, 'OggS'], [28, '\x01vorbis'], [40, [0x80, 0xbb, 0, 0]], [size - 1_000, page(position, [])]);

/** Kinds of frames of 26.12 ms, with their sizes. */
const [FAST, SLOW, HALF] = [
  [0xfb, 0x90, 417],
  [0xfb, 0x50, 208],
  [0xf3, 0x80, 208],
] as const;
const mp3 = (frames: number, [version, settings, size] = FAST as readonly number[], text = '') =>
  Buffer.alloc(frames * size!, file(size!, [0, [0xff, version!, settings!]], [36, text]));
const VARIABLE = mp3(1, FAST, 'Xing\0\0\0\x01\0\0\0\x01');

it.each<[string, Buffer, number]>([
  // 16 kHz in the upper 20 bits, 320,000 samples.
  ['FLAC', file(100_000, [0, 'fLaC'], [18, big(16_000 << 4, 3)], [22, big(320_000)]), 20],
  ['Ogg with Opus', opus(25, 48_000n * 25n), 25],
  ['Ogg with Opus whose last packet is not full', opus(25.02, 48_000n * 25n), 25],
  ['Ogg with Vorbis', vorbis(50_000, 480_000n), 10],
  ['MP4', file(90_000, [4, 'ftyp'], [60, 'mvhd'], [76, big(1_000)], [80, big(30_500)]), 31],
  [
    'MP4 with its header at the end',
    file(9_000_000, [4, 'ftyp'], [8_999_000, 'mvhd'], [8_999_016, big(600)], [8_999_020, big(600 * 90)]),
    90,
  ],
  ['MP3', mp3(380), 10],
  ['MP3 behind its tags', Buffer.concat([file(138, [0, 'ID3\x04\0\0\0\0\x01\0']), mp3(380)]), 10],
  ['MP3 with changing rates', Buffer.concat([VARIABLE, mp3(180), mp3(200, SLOW)]), 10],
  ['MP3 with bytes between its frames', Buffer.concat([mp3(180), Buffer.alloc(999, 0xff), mp3(200)]), 10],
  ['MP3 of a later version', mp3(380, HALF), 10],
])('reads the length of %s', (_title, bytes, seconds) => {
  expect(audioDuration(bytes)).toEqual({ seconds, mostSeconds: seconds + 1 });
});

it.each([
  ['no audio', file(30_000)],
  ['a short file', Buffer.from('OggS')],
  ['FLAC without a length', file(30_000, [0, 'fLaC'], [18, big(16_000 << 4, 3)])],
  ['MP4 without a header', file(30_000, [4, 'ftyp'])],
  ['a frame before other bytes', Buffer.concat([mp3(1), file(30_000)])],
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

it.each([
  ['MP3', Buffer.concat([VARIABLE, mp3(3_800, SLOW)])],
  // A second is what its last packet may have too much.
  ['Opus', Buffer.concat([opus(101, 1n), page(1n, [])])],
  ['Vorbis', vorbis(99 * 64_000 + 1, 1n)],
])('does not believe %s that it is short', (_title, bytes) => {
  expect(audioDuration(bytes)).toEqual({ seconds: 100, mostSeconds: 101 });
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

/** In pixels, as the header of a picture says. */
interface ImageSize {
  width: number;
  height: number;
}

type Reader = (bytes: Buffer) => ImageSize | null;

const sizeOf = (width: number, height: number): ImageSize | null =>
  width > 0 && height > 0 ? { width, height } : null;

function readPng(bytes: Buffer): ImageSize | null {
  const isPng = bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47;
  return isPng ? sizeOf(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) : null;
}

/** Most blocks before the size; chosen: files have some ten. A bound keeps the search short. */
const MAX_BLOCKS = 64;

/** A frame may be larger than the screen that the header names; readers enlarge the picture to it. */
function readGif(bytes: Buffer): ImageSize | null {
  if (bytes.length < 13 || bytes.toString('latin1', 0, 4) !== 'GIF8') return null;
  const flags = bytes[10]!;
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  for (let blocks = 0; blocks < MAX_BLOCKS && at + 9 <= bytes.length; blocks++) {
    if (bytes[at] === 0x2c) {
      const [left, top] = [bytes.readUInt16LE(at + 1), bytes.readUInt16LE(at + 3)];
      const [width, height] = [bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7)];
      return sizeOf(
        Math.max(bytes.readUInt16LE(6), left + width),
        Math.max(bytes.readUInt16LE(8), top + height),
      );
    }
    if (bytes[at] !== 0x21) return null;
    // An extension is a list of parts with their lengths, whose last is empty.
    for (at += 2; bytes[at] && blocks < MAX_BLOCKS; blocks++) at += 1 + bytes[at]!;
    at += 1;
  }
  return null;
}

/** Markers of a frame header; C4, C8 and CC among them mean something else. */
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Markers without a length: TEM, the restarts and the beginning. */
const isAlone = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
/** The end and the scan: no header follows. */
const isLast = (marker: number) => marker === 0xd9 || marker === 0xda;

const isJpeg = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8;

function readJpeg(bytes: Buffer): ImageSize | null {
  if (!isJpeg(bytes)) return null;
  let at = 2;
  for (let blocks = 0; blocks < MAX_BLOCKS && at + 9 <= bytes.length && bytes[at] === 0xff; blocks++) {
    const marker = bytes[at + 1]!;
    if (isFrameHeader(marker)) return sizeOf(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    if (isLast(marker)) return null;
    // Fill bytes may stand before a marker.
    if (marker === 0xff) at += 1;
    else at += isAlone(marker) ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

const WEBP_FORMS: Record<string, Reader> = {
  'VP8 ': (bytes) => sizeOf(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff),
  VP8L: (bytes) => {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  },
  VP8X: (bytes) => ({ width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }),
};

function readWebp(bytes: Buffer): ImageSize | null {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  return WEBP_FORMS[bytes.toString('latin1', 12, 16)]?.(bytes) ?? null;
}

const READERS: Reader[] = [readPng, readJpeg, readGif, readWebp];

/** Reads the size from the beginning of a PNG, JPEG, GIF or WebP. Returns null if it is none, or its header is longer. */
function readImageSize(bytes: Buffer): ImageSize | null {
  for (const read of READERS) {
    const size = read(bytes);
    if (size) return size;
  }
  return null;
}

/**
 * Tokens of pictures and audio by the rules that OpenAI documents for GPT-4o. Models differ; the rules depend on nothing but the
 * size, so they hold without knowledge of the model.
 */

/** A picture is scaled into this square, then until its shorter side has at most 768 pixels, and cut into tiles. */
const MAX_SIDE_PIXELS = 2_048;
const SHORT_SIDE_PIXELS = 768;
const TILE_PIXELS = 512;
const BASE_TOKENS = 85;
const TILE_TOKENS = 170;
/** The most that the rule gives: 2 × 4 tiles. Also for a picture whose size the gateway cannot read. */
export const MAX_IMAGE_TOKENS = BASE_TOKENS + 8 * TILE_TOKENS;

/** A JPEG may have two segments of 64 kB, such as a preview and a colour profile, before its size. */
const MAX_JPEG_HEADER_BYTES = 192 * 1024;
/** The first frame of a GIF is behind 256 colours and some short extensions; the others say their size in 32 bytes. */
const MAX_SIZE_OFFSET_BYTES = 1_536;

const INPUT_AUDIO_TOKENS_PER_SECOND = 10;
const OUTPUT_AUDIO_TOKENS_PER_SECOND = 20;
/** Of compressed audio; chosen: speech at 32 kbit/s. Music at 128 kbit/s counts fourfold, speech at 16 kbit/s half. */
const COMPRESSED_BYTES_PER_SECOND = 4_000;
/** Of streamed output, which is 16-bit PCM at 24 kHz. */
const PCM_BYTES_PER_SECOND = 48_000;
/** Far more than stands before the format of a WAV file. */
const MAX_WAV_HEADER_BYTES = 4_096;
/** A shorter text is no audio but a name: the header of a WAV file has 44 bytes. */
const MIN_AUDIO_CHARS = 60;
/** Of two channels of 32 bits at 48 kHz. Chosen: more than speech has; a header that says more counts as this. */
const MAX_WAV_BYTES_PER_SECOND = 384_000;

/** Longer than addresses, with their signatures, are. */
const MAX_ADDRESS_CHARS = 16_384;
/** A name has a scheme at its beginning or an extension at its end, with characters that base64 does not have. */
const NAME_CHARS = 256;

/** Python's `urlparse` ignores spaces and control characters before the scheme. No scheme is longer; a bound keeps the search short. */
const ADDRESS = /^[\0- ]{0,30}[a-z][a-z0-9+.-]{0,30}:\/\//i;
const DATA_URL = /^[\0- ]{0,30}data:/i;
const NOT_BASE64 = /[^A-Za-z0-9+/=_\s-]/;

/** Whether a value is only a URL: its content is elsewhere. */
export const isAddress = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.length <= MAX_ADDRESS_CHARS &&
  ADDRESS.test(value) &&
  !value.trim().includes(' ') &&
  !value.trim().includes('\n');

const isBase64 = (text: string): boolean =>
  !NOT_BASE64.test(text.slice(0, NAME_CHARS)) && !NOT_BASE64.test(text.slice(-NAME_CHARS));

/** The base64 text of a data URL, or the text itself if it may be base64. Null for a URL, a path or nothing: the content is elsewhere. */
function base64Of(source: unknown): string | null {
  if (typeof source !== 'string') return null;
  if (DATA_URL.test(source)) return source.slice(source.indexOf(',') + 1) || null;
  if (source.length > MAX_ADDRESS_CHARS) return source;
  return source !== '' && isBase64(source) ? source : null;
}

/** Empty if decoders differ in how they read the text: they ignore, accept or end at these characters. */
function headOf(base64: string, bytes: number): Buffer {
  const head = base64.slice(0, Math.ceil(bytes / 3) * 4);
  const padding = head.indexOf('=');
  if (head.includes('-') || head.includes('_') || (padding !== -1 && padding < base64.trimEnd().length - 2))
    return Buffer.alloc(0);
  return Buffer.from(head, 'base64');
}

const byteLengthOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

/** Bytes of long headers that may still be decoded; a picture whose header is not is one of unknown size. */
interface HeaderLimit {
  bytesLeft: number;
}

function imageSizeOf(base64: string, headers: HeaderLimit): ImageSize | null {
  const start = headOf(base64, MAX_SIZE_OFFSET_BYTES);
  const size = readImageSize(start);
  if (size || !isJpeg(start)) return size;
  const head = headOf(base64, Math.min(MAX_JPEG_HEADER_BYTES, headers.bytesLeft));
  headers.bytesLeft = Math.max(0, headers.bytesLeft - head.length);
  return readImageSize(head);
}

/** @param source a data URL, base64 or a URL; anything else counts as a picture of unknown size */
export function imageTokens(source: unknown, detail: unknown, headers: HeaderLimit): number {
  if (detail === 'low') return BASE_TOKENS;
  const base64 = base64Of(source);
  const size = base64 === null ? null : imageSizeOf(base64, headers);
  if (!size) return MAX_IMAGE_TOKENS;
  const fitted = Math.min(1, MAX_SIDE_PIXELS / Math.max(size.width, size.height));
  const shorter = Math.min(size.width, size.height) * fitted;
  const scale = fitted * Math.min(1, SHORT_SIDE_PIXELS / shorter);
  const tiles = (pixels: number) => Math.ceil(Math.max(1, Math.round(pixels * scale)) / TILE_PIXELS);
  return BASE_TOKENS + TILE_TOKENS * tiles(size.width) * tiles(size.height);
}

/** Formats of a WAV file whose samples have one size: PCM, floating point, A-law, µ-law. What others say of it means nothing. */
const PLAIN_FORMATS = new Set([1, 3, 6, 7]);
/** Names its format at the beginning of a GUID. */
const EXTENSIBLE_FORMAT = 0xfffe;

/** @param at where the content of the chunk `fmt ` begins; 16 bytes of it are there */
function bytesPerSecondOf(bytes: Buffer, at: number): number | null {
  let format = bytes.readUInt16LE(at);
  if (format === EXTENSIBLE_FORMAT && at + 26 <= bytes.length) format = bytes.readUInt16LE(at + 24);
  if (!PLAIN_FORMATS.has(format)) return null;
  const [channels, samples] = [bytes.readUInt16LE(at + 2), bytes.readUInt32LE(at + 4)];
  const bits = bytes.readUInt16LE(at + 14);
  return Math.min((channels * samples * bits) / 8, MAX_WAV_BYTES_PER_SECOND) || null;
}

/** Most chunks up to the samples; chosen: files have some five. A bound keeps the search short. */
const MAX_CHUNKS = 32;
const isChunk = (bytes: Buffer, at: number, id: string) => bytes.toString('latin1', at, at + 4) === id;

/** Bytes that a second of a WAV file has, the fewest if it says so twice; null if it is no WAV file. */
export function wavBytesPerSecond(bytes: Buffer): number | null {
  if (!isChunk(bytes, 0, 'RIFF') || !isChunk(bytes, 8, 'WAVE')) return null;
  let fewest: number | null = null;
  let at = 12;
  for (let chunks = 0; chunks < MAX_CHUNKS && at + 24 <= bytes.length; chunks++) {
    if (isChunk(bytes, at, 'data')) break;
    const length = bytes.readUInt32LE(at + 4);
    if (isChunk(bytes, at, 'fmt ')) {
      const bytesPerSecond = bytesPerSecondOf(bytes, at + 8);
      if (bytesPerSecond === null) return null;
      fewest = Math.min(fewest ?? Infinity, bytesPerSecond);
    }
    // Chunks begin at even offsets.
    at += 8 + length + (length % 2);
  }
  return fewest;
}

/** Tokens of audio in a prompt. Infinite if its length is unknown: it is somewhere else, or the source is empty. @param source a data URL, base64 or a URL */
export function audioTokens(source: unknown): number {
  const base64 = base64Of(source);
  if (base64 === null || base64.length < MIN_AUDIO_CHARS) return Infinity;
  const bytesPerSecond =
    wavBytesPerSecond(headOf(base64, MAX_WAV_HEADER_BYTES)) ?? COMPRESSED_BYTES_PER_SECOND;
  return Math.ceil((byteLengthOf(base64) / bytesPerSecond) * INPUT_AUDIO_TOKENS_PER_SECOND);
}

/** Tokens of audio that a model produces. @param base64 of PCM */
export const producedAudioTokens = (base64: string): number =>
  (byteLengthOf(base64) / PCM_BYTES_PER_SECOND) * OUTPUT_AUDIO_TOKENS_PER_SECOND;

/** In pixels, as the header of a picture says. */
export interface ImageSize {
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

export const isJpeg = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8;

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
export function readImageSize(bytes: Buffer): ImageSize | null {
  for (const read of READERS) {
    const size = read(bytes);
    if (size) return size;
  }
  return null;
}

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

function readGif(bytes: Buffer): ImageSize | null {
  const isGif = bytes.length >= 10 && bytes.toString('latin1', 0, 4) === 'GIF8';
  return isGif ? sizeOf(bytes.readUInt16LE(6), bytes.readUInt16LE(8)) : null;
}

/** Markers of a frame header; C4, C8 and CC among them mean something else. */
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function readJpeg(bytes: Buffer): ImageSize | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!;
    if (isFrameHeader(marker)) return sizeOf(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    // Fill bytes may stand before a marker.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
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

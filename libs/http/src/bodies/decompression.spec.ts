import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type Request } from 'express';
import { decoderOf } from './body-reader';

const MEBIBYTE = 1_048_576;

function decode(encoding: string, compressed: Buffer): Promise<Buffer> {
  const decoder = decoderOf({ headers: { 'content-encoding': encoding } } as unknown as Request)!();
  const decoded = buffer(decoder);
  decoder.end(compressed);
  return decoded;
}

/** Text of which a part repeats, so that it becomes about this many times shorter. */
const compressible = (ratio: number, bytes: number) => {
  const piece = 20_000;
  const random = Math.floor(piece / ratio);
  return Buffer.concat(
    Array.from({ length: bytes / piece }, () =>
      Buffer.concat([randomBytes(random), Buffer.alloc(piece - random)]),
    ),
  );
};

describe.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('a body that is compressed with %s', (encoding, compress) => {
  it('may have any ratio up to 1 MiB', async () => {
    const bytes = Buffer.alloc(MEBIBYTE);
    expect((await decode(encoding, compress(bytes))).equals(bytes)).toBe(true);
  });

  it('is refused as too large above that if it becomes more than 100 times longer', async () => {
    await expect(decode(encoding, compress(Buffer.alloc(4 * MEBIBYTE)))).rejects.toMatchObject({
      status: 413,
      message: 'the body is compressed more than 100 times',
    });
  });

  it('passes above that with the ratio of repetitive text', async () => {
    const bytes = compressible(40, 2 * MEBIBYTE);
    const compressed = compress(bytes);
    expect(bytes.length / compressed.length).toBeGreaterThan(30);
    expect((await decode(encoding, compressed)).equals(bytes)).toBe(true);
  });
});

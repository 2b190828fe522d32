import { type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, type Zlib } from 'node:zlib';
import { PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import { type Request } from 'express';

type Decoder = Transform & Zlib;

const DECODERS: Record<string, () => Decoder> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Most bytes that a compressed byte may become, in a body of more than FREE_BYTES. JSON and text become 3 to 20 times shorter; the
 * formats reach 1,000 times and more, with repetitions.
 */
const MAX_RATIO = 100;
const FREE_BYTES = 1_048_576;

/** Returns what makes a decoder; undefined for a body that is not compressed. Throws 415 for an unknown content encoding. */
export function decoderOf(request: Request): (() => Decoder) | undefined {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return undefined;
  if (Object.hasOwn(DECODERS, encoding)) return () => withRatio(DECODERS[encoding]!());
  throw new UnsupportedMediaTypeException('the content encoding is not supported');
}

/** The decoder fails with 413 when what has arrived so far becomes too long. */
function withRatio(decoder: Decoder): Decoder {
  let decodedBytes = 0;
  decoder.on('data', (chunk: Buffer) => {
    decodedBytes += chunk.length;
    if (decodedBytes > FREE_BYTES && decodedBytes > MAX_RATIO * decoder.bytesWritten)
      decoder.destroy(new PayloadTooLargeException(`the body is compressed more than ${MAX_RATIO} times`));
  });
  return decoder;
}

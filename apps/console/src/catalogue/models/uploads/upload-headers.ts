import { type IncomingHttpHeaders } from 'node:http';
import { BadRequestException, HttpException } from '@nestjs/common';

const SHA256_BYTES = 32;
/** RFC 9530, a dictionary of algorithms and values: `sha-256=:<base64>:`. */
const SHA256_DIGEST = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]*):\s*(?=,|$)/;
const LENGTH = /^\d{1,15}$/;

export interface UploadHeaders {
  sizeBytes: number;
  /** The digest that the content must have; null if the client announces none. */
  sha256: Buffer | null;
}

/** Reads the headers of an upload of at most `maxBytes`. Throws an HttpException with status 400, 411, 413 or 415. */
export function readUploadHeaders(headers: IncomingHttpHeaders, maxBytes: number): UploadHeaders {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers;
  if (type !== undefined && !/^application\/octet-stream\s*(;|$)/i.test(type))
    throw new HttpException('the content type must be application/octet-stream', 415);
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new HttpException('the content encoding is not supported', 415);
  if (length === undefined || !LENGTH.test(length))
    throw new HttpException('the length of the package must be given as Content-Length', 411);
  const sizeBytes = Number(length);
  if (sizeBytes > maxBytes) throw new HttpException(`a package may have at most ${maxBytes} bytes`, 413);
  if (sizeBytes === 0) throw new BadRequestException('the package is empty');
  return { sizeBytes, sha256: readDigest(headers['content-digest']) };
}

function readDigest(header: string | string[] | undefined): Buffer | null {
  if (header === undefined) return null;
  const sha256 = Buffer.from(SHA256_DIGEST.exec(String(header))?.[1] ?? '', 'base64');
  if (sha256.length === SHA256_BYTES) return sha256;
  throw new BadRequestException('Content-Digest: must be sha-256=:<base64>:');
}

import { type IncomingHttpHeaders } from 'node:http';
import { BadRequestException, HttpException } from '@nestjs/common';

const LENGTH = /^\d{1,15}$/;

/**
 * The bytes of an upload by its headers. Throws an HttpException with status 400, 411, 413 or 415 unless it is a file of 1 to
 * `maxBytes` bytes.
 */
export function readUploadSize(headers: IncomingHttpHeaders, maxBytes: number): number {
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
  return sizeBytes;
}

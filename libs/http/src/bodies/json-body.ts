import { BadRequestException, UnsupportedMediaTypeException } from '@nestjs/common';
import { JsonFault } from '../json/json-fault';
import { readJsonInSlices, withoutByteOrderMark } from '../json/json-reader';

const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/** Throws 415 unless the content type is JSON in UTF-8. */
export function requireJson(contentType: string | undefined): void {
  if (!JSON_TYPE.test(contentType ?? ''))
    throw new UnsupportedMediaTypeException('the content type must be application/json');
  const charset = CHARSET.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    throw new UnsupportedMediaTypeException('the charset must be utf-8');
}

/**
 * Parses a body. Throws 400 if it is not JSON or exceeds JSON_LIMITS. The message never quotes the body. Other requests have their
 * turn while a long body is parsed.
 * @param refuseInexactNumbers throw 400 also for a number that a double cannot hold: 4.999999999999999999 would become 5
 * @param beforeSlice see `readJsonInSlices`
 */
export async function parseJsonBody(
  bytes: Buffer,
  refuseInexactNumbers = false,
  beforeSlice?: () => void,
): Promise<unknown> {
  try {
    const { value } = await readJsonInSlices(
      withoutByteOrderMark(bytes),
      { refuseInexactNumbers },
      beforeSlice,
    );
    return value;
  } catch (error) {
    throw error instanceof JsonFault ? new BadRequestException(error.message) : error;
  }
}

import { createHash } from 'node:crypto';
import { BadRequestException } from '@nestjs/common';
import { type Position } from '@inference/database';
import { instantText, parseInstant } from '@inference/time';
import { z } from 'zod';

const DIGEST_BYTES = 12;

const content = z.tuple([
  z.string(),
  z.string().regex(/^(19|20|21)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/),
]);

/**
 * Returns an opaque cursor for a position in a list, such as the transactions of one account. Its digest binds it to the list
 * and detects a damaged text. The digest is no secret: a forged cursor only leads into the caller's own list.
 */
export function encodeCursor(list: string, { at, id }: Position): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([list, at, id]))
    .digest();
  const short = digest.subarray(0, DIGEST_BYTES).toString('base64url');
  return Buffer.from(JSON.stringify([short, at, id])).toString('base64url');
}

/** Throws BadRequestException if the text is not a cursor of this list. */
export function decodeCursor(list: string, cursor: string): Position {
  const [, at, id] = parse(cursor);
  const micros = parseInstant(at);
  if (micros === null || instantText(micros) !== at || encodeCursor(list, { at, id }) !== cursor)
    throw new BadRequestException('cursor: is not valid');
  return { at, id };
}

function parse(cursor: string): z.output<typeof content> {
  try {
    return content.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new BadRequestException('cursor: is not valid');
  }
}

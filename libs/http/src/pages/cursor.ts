import { createHash } from 'node:crypto';
import { BadRequestException } from '@nestjs/common';
import { z } from 'zod';

/** Where a page of a list ends that is ordered by time and id. */
export interface Position {
  /** ISO 8601 in UTC, to the microsecond. */
  at: string;
  id: string;
}

const DIGEST_BYTES = 12;

const content = z.tuple([
  z.string(),
  z.string().regex(/^(19|20|21)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/),
]);

/**
 * An opaque text that finds a page's end again, in its own list only, such as the transactions of one account. Its
 * digest tells a text that was changed or cut on its way; to make one up would lead nowhere but into one's own list.
 */
export function encodeCursor(list: string, { at, id }: Position): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([list, at, id]))
    .digest();
  const short = digest.subarray(0, DIGEST_BYTES).toString('base64url');
  return Buffer.from(JSON.stringify([short, at, id])).toString('base64url');
}

/** Throws a BadRequestException for anything that is not encodeCursor's for this list. */
export function decodeCursor(list: string, cursor: string): Position {
  const [, at, id] = parse(cursor);
  if (!isInstant(at) || encodeCursor(list, { at, id }) !== cursor)
    throw new BadRequestException('cursor: is not valid');
  return { at, id };
}

/** Date.parse takes the 31st of February for a day in March. */
function isInstant(at: string): boolean {
  const date = new Date(at);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19) === at.slice(0, 19);
}

function parse(cursor: string): z.output<typeof content> {
  try {
    return content.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new BadRequestException('cursor: is not valid');
  }
}

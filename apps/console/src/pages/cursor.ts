import { BadRequestException } from '@nestjs/common';
import { z } from 'zod';

/** Where a page of a list ends that is ordered by time and id. */
export interface Position {
  /** ISO 8601 in UTC, to the microsecond. */
  at: string;
  id: string;
}

const content = z.tuple([
  z.string(),
  z.string().regex(/^(19|20|21)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  z.string().regex(/^[A-Za-z0-9_]{1,64}$/),
]);

/** An opaque text that finds a page's end again, in its own list only, such as the transactions of one account. */
export function encodeCursor(list: string, { at, id }: Position): string {
  return Buffer.from(JSON.stringify([list, at, id])).toString('base64url');
}

/** Throws a BadRequestException for anything that encodeCursor has not made for this list. */
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

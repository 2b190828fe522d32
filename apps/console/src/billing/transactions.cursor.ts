import { BadRequestException } from '@nestjs/common';
import { type StatementPosition } from '@inference/wallet';
import { z } from 'zod';

const content = z.tuple([
  z.string(),
  z.string().regex(/^(19|20|21)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  z.string().regex(/^[A-Za-z0-9_]{1,64}$/),
]);

/** An opaque text that finds a page's end again, for its own account only. */
export function encodeCursor(accountId: string, { at, id }: StatementPosition): string {
  return Buffer.from(JSON.stringify([accountId, at, id])).toString('base64url');
}

/** Throws a BadRequestException for anything that encodeCursor has not made for this account. */
export function decodeCursor(accountId: string, cursor: string): StatementPosition {
  const [, at, id] = parse(cursor);
  if (!isInstant(at) || encodeCursor(accountId, { at, id }) !== cursor)
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

import { createHash } from 'node:crypto';
import { type Position } from '@inference/database';
import { IntegerParameter, TextField } from '@inference/dto';
import { instantText, parseInstant } from '@inference/time';
import { BadRequestException } from '@nestjs/common';
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

/** Query of a list with pages. */
export class PageQuery {
  @IntegerParameter({ description: 'Most entries of a page.', min: 1, max: 100, optional: true, default: 50 })
  limit: number = 50;

  @TextField({ description: 'The `next_cursor` of the previous page.', optional: true, minLength: 0 })
  cursor?: string;
}

/**
 * Reads one page of a list by keyset pagination. `read` gets the position after which the page starts (null for the first page)
 * and the number of rows to read. `nextCursor` is null on the last page. Throws BadRequestException for a bad cursor.
 * @param list names the list, including everything that selects its rows, so that a cursor is valid for this list only
 */
export async function readPage<Row extends { position: Position }>(
  list: string,
  { limit, cursor }: PageQuery,
  read: (after: Position | null, count: number) => Promise<Row[]>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const after = cursor === undefined ? null : decodeCursor(list, cursor);
  const found = await read(after, limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: last && found.length > limit ? encodeCursor(list, last.position) : null };
}

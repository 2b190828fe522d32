import { type Position } from '@inference/database';
import { decodeCursor, encodeCursor } from './cursor';
import { type PageQuery } from './page.dto';

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

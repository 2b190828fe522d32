import { decodeCursor, encodeCursor, type Position } from './cursor';
import { type PageQuery } from './page.dto';

/**
 * One page of a list. `read` gets the position after which to go on (null at the beginning) and how many
 * rows to read; the cursor is null at the end.
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

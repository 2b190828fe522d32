import { type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';

/** Sort position of a row in a list that is ordered by time and id. */
export interface Position {
  /** ISO 8601 in UTC, to the microsecond. */
  at: string;
  id: string;
}

export type TimeOrder = 'newest' | 'oldest';

/**
 * Reads rows by time and id, newest first.
 * @param query selects the rows, without order and limit. Its joins must not multiply them
 * @param time the property of the main entity that holds the time
 * @param after the position after which the page starts, null for the first page
 */
export function readNewestFirst<Entity extends ObjectLiteral & { id: string }>(
  query: SelectQueryBuilder<Entity>,
  time: keyof Entity & string,
  after: Position | null,
  count: number,
): Promise<(Entity & { position: Position })[]> {
  return readByTime(query, time, 'newest', after, count);
}

/** Like `readNewestFirst`, in either order. */
export async function readByTime<Entity extends ObjectLiteral & { id: string }>(
  query: SelectQueryBuilder<Entity>,
  time: keyof Entity & string,
  order: TimeOrder,
  after: Position | null,
  count: number,
): Promise<(Entity & { position: Position })[]> {
  const { alias } = query;
  const [isAfter, direction] = order === 'newest' ? (['<', 'DESC'] as const) : (['>', 'ASC'] as const);
  if (after)
    query.andWhere(`(${alias}.${time}, ${alias}.id) ${isAfter} (:afterAt, :afterId)`, {
      afterAt: after.at,
      afterId: after.id,
    });
  const { entities, raw } = await query
    .addSelect(`to_char(${alias}.${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`, 'at')
    .orderBy(`${alias}.${time}`, direction)
    .addOrderBy(`${alias}.id`, direction)
    .limit(count)
    .getRawAndEntities<{ at: string }>();
  return entities.map((entity, index) =>
    Object.assign(entity, { position: { at: raw[index]!.at, id: entity.id } }),
  );
}

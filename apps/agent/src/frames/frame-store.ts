import { Inject, Injectable } from '@nestjs/common';
import { SQL_POOL, type Sql, type SqlPool } from '@inference/database';
import { type Frame, type FrameKind } from './frame';
import { FRAME_POOL } from './frame-pool';

const PAGE = 100;

const READ = {
  name: 'frames-read',
  text: `SELECT n, kind, data FROM agent.frames WHERE turn_id = $1 AND n > $2 ORDER BY n LIMIT ${PAGE}`,
};
const READ_MANY = {
  name: 'frames-read-many',
  text: `
    SELECT c.turn_id AS "turnId", f.n, f.kind, f.data
    FROM unnest($1::text[], $2::integer[]) AS c(turn_id, cursor)
    CROSS JOIN LATERAL (
      SELECT n, kind, data FROM agent.frames
      WHERE turn_id = c.turn_id AND n > c.cursor ORDER BY n LIMIT ${PAGE}
    ) f ORDER BY c.turn_id, f.n`,
};
const FIND_GONE = `
  SELECT id FROM unnest($1::text[]) AS u(id) WHERE NOT EXISTS (SELECT FROM agent.turns t WHERE t.id = u.id)`;
/** Only for turns that this process still runs. */
const APPEND_DELTAS = {
  name: 'frames-append-deltas',
  text: `
    INSERT INTO agent.frames (turn_id, n, kind, data)
    SELECT u.turn_id, u.n, 'delta', u.data FROM unnest($1::text[], $2::integer[], $3::text[]) AS u(turn_id, n, data)
    WHERE EXISTS (SELECT FROM agent.turns t WHERE t.id = u.turn_id AND t.runner = $4)
    ON CONFLICT DO NOTHING RETURNING turn_id AS "turnId"`,
};
const DELETE_GONE = `
  DELETE FROM agent.frames WHERE turn_id = $1 AND NOT EXISTS (SELECT FROM agent.turns WHERE id = $1)`;
const WHICH_ARE_THERE = `
  SELECT f.turn_id AS "turnId"
  FROM unnest($1::text[], $2::integer[], $3::text[]) AS u(turn_id, n, data)
  JOIN agent.frames f ON f.turn_id = u.turn_id AND f.n = u.n AND f.kind = 'delta' AND f.data = u.data
  JOIN agent.turns t ON t.id = u.turn_id AND t.runner = $4`;
/** Waits for whoever appends at the same moment, and finds the place taken. */
const APPEND = `
  INSERT INTO agent.frames (turn_id, n, kind, data)
  SELECT $1, coalesce(max(n), 0) + 1, $2, $3 FROM agent.frames WHERE turn_id = $1
  ON CONFLICT DO NOTHING RETURNING n`;

/** A piece of a turn's text that is to become its frame `n`. */
export interface Delta {
  turnId: string;
  n: number;
  text: string;
}

@Injectable()
export class FrameStore {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(FRAME_POOL) private readonly ownPool: SqlPool,
  ) {}

  /** The next frames of a turn, a page at most; none when there are none yet. */
  async read(turnId: string, after: number): Promise<Frame[]> {
    const { rows } = await this.pool.query<Frame>({ ...READ, values: [turnId, after] });
    return rows;
  }

  /** The next frames of many turns, by turn, each from its own cursor. */
  async readMany(cursors: [turnId: string, cursor: number][]): Promise<Map<string, Frame[]>> {
    const values = [cursors.map(([turnId]) => turnId), cursors.map(([, cursor]) => cursor)];
    const { rows } = await this.pool.query<Frame & { turnId: string }>({ ...READ_MANY, values });
    const frames = new Map<string, Frame[]>();
    for (const { turnId, ...frame } of rows) {
      const list = frames.get(turnId);
      if (list) list.push(frame);
      else frames.set(turnId, [frame]);
    }
    return frames;
  }

  /** Those turns that were deleted. */
  async findGone(turnIds: string[]): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>(FIND_GONE, [turnIds]);
    return rows.map(({ id }) => id);
  }

  /** Deletes what was written of a turn while it was being deleted. */
  async deleteIfGone(turnId: string): Promise<void> {
    await this.pool.query(DELETE_GONE, [turnId]);
  }

  /**
   * Writes deltas of the turns that `runner` runs; returns the turns whose delta is written. The others are its turns no
   * more. `again`: the statement was sent before, and whether it took effect is not known.
   */
  async appendDeltas(deltas: Delta[], runner: string, again: boolean): Promise<Set<string>> {
    const columns = [
      deltas.map(({ turnId }) => turnId),
      deltas.map(({ n }) => n),
      deltas.map(({ text }) => text),
    ];
    const values = [...columns, runner];
    const { rows } = await this.ownPool.query<{ turnId: string }>({ ...APPEND_DELTAS, values });
    const written = new Set(rows.map(({ turnId }) => turnId));
    if (again && written.size < deltas.length) {
      const before = await this.ownPool.query<{ turnId: string }>(WHICH_ARE_THERE, values);
      for (const { turnId } of before.rows) written.add(turnId);
    }
    return written;
  }
}

/** Appends a frame to a turn whose session the caller has locked. */
export async function appendFrame(sql: Sql, turnId: string, kind: FrameKind, data: object): Promise<Frame> {
  const json = JSON.stringify(data);
  for (;;) {
    const { rows } = await sql.query<{ n: number }>(APPEND, [turnId, kind, json]);
    if (rows[0]) return { n: rows[0].n, kind, data: json };
  }
}

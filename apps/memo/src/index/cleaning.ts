import { type SqlPool } from '@inference/database';

const ROWS = 5_000;

const READ = 'SELECT id, document_id, version, segment_id FROM memo.garbage ORDER BY id LIMIT 100';
const FORGET = 'DELETE FROM memo.garbage WHERE id = $1';
/** And what they mean; nothing has a vector that has no chunk. */
const DELETE_CHUNKS = `
  WITH gone AS (
    DELETE FROM memo.chunks WHERE document_id = $1 AND version = $2 AND n IN (
      SELECT n FROM memo.chunks WHERE document_id = $1 AND version = $2 LIMIT ${ROWS})
    RETURNING n),
  vectors AS (
    DELETE FROM memo.chunk_vectors x USING gone WHERE x.document_id = $1 AND x.version = $2 AND x.n = gone.n
    RETURNING space, number),
  signatures AS (
    DELETE FROM memo.chunk_signatures s USING vectors x WHERE s.space = x.space AND s.number = x.number)
  SELECT FROM gone`;
/** Those that were never served; the others are merged with what is. */
const DELETE_SEGMENTS = `
  WITH gone AS (DELETE FROM memo.segments WHERE document_id = $1 AND version = $2 AND workspace_id IS NULL RETURNING id)
  INSERT INTO memo.garbage (segment_id) SELECT id FROM gone`;
const DELETE_POSTINGS = `
  DELETE FROM memo.postings WHERE segment_id = $1 AND term IN (
    SELECT term FROM memo.postings WHERE segment_id = $1 LIMIT ${ROWS})`;

interface GarbageRow {
  id: bigint;
  document_id: string | null;
  version: number | null;
  segment_id: bigint | null;
}

/** Deletes what nobody can see any more, in small steps. Several processes may do it at a time. */
export async function clean(pool: SqlPool, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<GarbageRow>(READ);
    if (rows.length === 0) return;
    for (const row of rows) {
      if (row.segment_id !== null) await deleteAll(pool, DELETE_POSTINGS, [row.segment_id], signal);
      else {
        await pool.query(DELETE_SEGMENTS, [row.document_id, row.version]);
        await deleteAll(pool, DELETE_CHUNKS, [row.document_id, row.version], signal);
      }
      await pool.query(FORGET, [row.id]);
    }
  }
}

async function deleteAll(pool: SqlPool, text: string, values: unknown[], signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if ((await pool.query(text, values)).rowCount! < ROWS) return;
  }
}

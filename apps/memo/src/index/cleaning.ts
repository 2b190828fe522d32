import { inTransaction, type Sql, type SqlPool } from '@inference/database';

const ROWS = 2_000;
/** Then documents that wait have their turn. */
const STEPS = 20;

/** Another process that cleans has its own; both would only wait for each other. */
const NEXT = `
  SELECT id, document_id, version, segment_id FROM memo.garbage ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`;
const FORGET = 'DELETE FROM memo.garbage WHERE id = $1';
/**
 * And what they mean; nothing has a vector that has no chunk. By where the rows lie, since the planner, which knows
 * nothing of new rows, would look each of them up among all of them.
 */
const DELETE_CHUNKS = `
  WITH gone AS (
    DELETE FROM memo.chunks WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM memo.chunks WHERE document_id = $1 AND version = $2 LIMIT ${ROWS}))
    RETURNING n),
  vectors AS (
    DELETE FROM memo.chunk_vectors x WHERE x.document_id = $1 AND x.version = $2 AND x.n = ANY (ARRAY(SELECT n FROM gone))
    RETURNING space, number),
  signatures AS (
    DELETE FROM memo.chunk_signatures s USING vectors x WHERE s.space = x.space AND s.number = x.number)
  SELECT FROM gone`;
/** Those that were never served; the others are merged with what is. */
const DELETE_SEGMENTS = `
  WITH gone AS (DELETE FROM memo.segments WHERE document_id = $1 AND version = $2 AND workspace_id IS NULL RETURNING id)
  INSERT INTO memo.garbage (segment_id) SELECT id FROM gone`;
const DELETE_POSTINGS = `
  DELETE FROM memo.postings WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM memo.postings WHERE segment_id = $1 LIMIT ${ROWS}))`;

interface GarbageRow {
  id: bigint;
  document_id: string | null;
  version: number | null;
  segment_id: bigint | null;
}

/** Deletes some of what nobody can see any more; true when there may be more. Several processes may do it at a time. */
export async function clean(pool: SqlPool, signal: AbortSignal): Promise<boolean> {
  for (let steps = 0; steps < STEPS && !signal.aborted; steps++)
    if (!(await inTransaction(pool, cleanOnce))) return false;
  return true;
}

/** False when there is nothing left that nobody else is at. */
async function cleanOnce(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<GarbageRow>(NEXT);
  const [garbage] = rows;
  if (!garbage) return false;
  const { rowCount: deleted } =
    garbage.segment_id === null
      ? await deleteOfVersion(sql, garbage)
      : await sql.query(DELETE_POSTINGS, [garbage.segment_id]);
  if (deleted! < ROWS) await sql.query(FORGET, [garbage.id]);
  return true;
}

async function deleteOfVersion(sql: Sql, { document_id: documentId, version }: GarbageRow) {
  await sql.query(DELETE_SEGMENTS, [documentId, version]);
  return sql.query(DELETE_CHUNKS, [documentId, version]);
}

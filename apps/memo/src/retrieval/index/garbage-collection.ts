import { type Database, type Sql } from '@inference/database';

/** Rows deleted in one transaction. Twice as many hold their locks twice as long; half need twice the transactions. */
const MAX_ROWS_PER_STEP = 2_000;
/** After this many steps the job is queued again, so that waiting documents are processed in between. */
const MAX_STEPS = 20;

/** Skips entries that another process works on. */
const NEXT = `
  SELECT id, document_id, version, segment_id FROM memo.garbage ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`;
const DELETE_ENTRY = 'DELETE FROM memo.garbage WHERE id = $1';
/**
 * Deletes chunks and their vectors. Addresses rows by ctid: the planner has no statistics about new rows and would
 * otherwise scan for each of them.
 */
const DELETE_CHUNKS = `
  WITH gone AS (
    DELETE FROM memo.chunks WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM memo.chunks WHERE document_id = $1 AND version = $2 LIMIT ${MAX_ROWS_PER_STEP}))
    RETURNING n),
  vectors AS (
    DELETE FROM memo.chunk_vectors x WHERE x.document_id = $1 AND x.version = $2 AND x.n = ANY (ARRAY(SELECT n FROM gone))
    RETURNING space, number),
  signatures AS (
    DELETE FROM memo.chunk_signatures s USING vectors x WHERE s.space = x.space AND s.number = x.number)
  SELECT FROM gone`;
/** Segments that were never published. Published ones are merged. */
const DELETE_SEGMENTS = `
  WITH gone AS (DELETE FROM memo.segments WHERE document_id = $1 AND version = $2 AND workspace_id IS NULL RETURNING id)
  INSERT INTO memo.garbage (segment_id) SELECT id FROM gone`;
const DELETE_POSTINGS = `
  DELETE FROM memo.postings WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM memo.postings WHERE segment_id = $1 LIMIT ${MAX_ROWS_PER_STEP}))`;

interface GarbageRow {
  id: bigint;
  document_id: string | null;
  version: number | null;
  segment_id: bigint | null;
}

/**
 * Deletes a limited amount of discarded data. Returns true if more may be left. Several processes may run it at the
 * same time.
 */
export async function collectGarbage(database: Database, signal: AbortSignal): Promise<boolean> {
  for (let steps = 0; steps < MAX_STEPS && !signal.aborted; steps++)
    if (!(await database.transaction(collectOnce))) return false;
  return true;
}

/** Returns false if no entry is left that no other process works on. */
async function collectOnce(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<GarbageRow>(NEXT);
  const [garbage] = rows;
  if (!garbage) return false;
  const { rowCount: deleted } =
    garbage.segment_id === null
      ? await deleteOfVersion(sql, garbage)
      : await sql.query(DELETE_POSTINGS, [garbage.segment_id]);
  if (deleted! < MAX_ROWS_PER_STEP) await sql.query(DELETE_ENTRY, [garbage.id]);
  return true;
}

async function deleteOfVersion(sql: Sql, { document_id: documentId, version }: GarbageRow) {
  await sql.query(DELETE_SEGMENTS, [documentId, version]);
  return sql.query(DELETE_CHUNKS, [documentId, version]);
}

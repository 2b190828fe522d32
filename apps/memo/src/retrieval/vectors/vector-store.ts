import { type Database, type Sql } from '@inference/database';
import { packVectors, signatureOf, spaceOf } from './vector-space';

/** Chunks of a published version that have no vectors of a model yet. */
export interface UnembeddedChunks {
  workspaceId: string;
  title: string;
  /** The account that pays for the embedding. */
  uploadedBy: string;
  /** Number of the version's first chunk in the workspace. */
  firstChunk: bigint;
  /** Index in the version of the first of the texts. The chunks before it are embedded. */
  from: number;
  texts: string[];
}

export interface VersionRef {
  documentId: string;
  version: number;
}

const DONE = 'CASE WHEN embedding_model = $3 THEN embedded ELSE 0 END';
const READ = `
  SELECT v.workspace_id AS "workspaceId", v.title, v.uploaded_by AS "uploadedBy", v.first_chunk AS "firstChunk",
    v.done AS "from", ARRAY(
      SELECT c.text FROM memo.chunks c WHERE c.document_id = $1 AND c.version = $2 AND c.n >= v.done
      ORDER BY c.n LIMIT $4) AS texts
  FROM (
    SELECT *, ${DONE} AS done FROM memo.document_versions
    WHERE document_id = $1 AND version = $2 AND status = 'ready') v
  WHERE v.done < v.chunk_count`;
/** A ready version is published. A transaction that retires it deletes its row and conflicts with this lock. */
const ADVANCE = `
  UPDATE memo.document_versions SET embedding_model = $3, embedded = $5
  WHERE document_id = $1 AND version = $2 AND status = 'ready' AND ${DONE} = $4`;
/** Vectors of another model. */
const DELETE_BEFORE = `
  WITH gone AS (
    DELETE FROM memo.chunk_vectors WHERE document_id = $1 AND version = $2 AND n >= $3 AND n < $4 RETURNING space, number)
  DELETE FROM memo.chunk_signatures s USING gone g WHERE s.space = g.space AND s.number = g.number`;
/** All vectors are one bytea value, because a list of values would be sent as text of twice the size. */
const INSERT = `
  WITH stored AS (
    SELECT $4::integer + i - 1 AS n, $5::bigint + $4::integer + i - 1 AS number, signature,
      substring($7::bytea FROM (i - 1)::integer * $8::integer + 1 FOR $8::integer) AS vector
    FROM unnest($6::bit varying[]) WITH ORDINALITY AS u(signature, i)),
  vectors AS (
    INSERT INTO memo.chunk_vectors (document_id, version, n, space, number, vector)
    SELECT $1, $2, n, $3, number, vector FROM stored)
  INSERT INTO memo.chunk_signatures (space, number, signature) SELECT $3, number, signature FROM stored`;

/** The next chunks, at most `count`; null if none are left or the version is no longer published. */
export async function readUnembedded(
  sql: Sql,
  { documentId, version }: VersionRef,
  model: string,
  count: number,
): Promise<UnembeddedChunks | null> {
  return (await sql.query<UnembeddedChunks>(READ, [documentId, version, model, count])).rows[0] ?? null;
}

/** Stores nothing if the version is no longer published, or if another process has stored the same vectors. */
export async function storeVectors(
  database: Database,
  { documentId, version }: VersionRef,
  model: string,
  { workspaceId, firstChunk, from }: UnembeddedChunks,
  vectors: Float32Array[],
): Promise<void> {
  const [to, dimensions] = [from + vectors.length, vectors[0]!.length];
  const packed = packVectors(vectors);
  await database.transaction(async (sql) => {
    if ((await sql.query(ADVANCE, [documentId, version, model, from, to])).rowCount === 0) return;
    await sql.query(DELETE_BEFORE, [documentId, version, from, to]);
    await sql.query(INSERT, [
      ...[documentId, version, spaceOf(workspaceId, model, dimensions), from, firstChunk],
      ...[vectors.map(signatureOf), packed, packed.length / vectors.length],
    ]);
  });
}

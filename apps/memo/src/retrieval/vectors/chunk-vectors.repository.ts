import { type Executor, type Transaction } from '@inference/database';
import { IsNull, Not } from 'typeorm';
import { DocumentVersion } from '../../tables/document-version.entity';
import { type ChosenDocuments } from '../search/document-conditions.repository';
import { packVectors, signatureOf, spaceOf } from './vector-space';

export type VersionRef = Pick<DocumentVersion, 'documentId' | 'version'>;

/** Chunks of a published version that have no vectors of a model yet. `uploadedBy` pays for the embedding. */
export interface UnembeddedChunks extends Pick<DocumentVersion, 'workspaceId' | 'title' | 'uploadedBy'> {
  /** Number of the version's first chunk in the workspace. */
  firstChunk: bigint;
  /** Index in the version of the first of the texts. The chunks before it are embedded. */
  from: number;
  texts: string[];
}

export interface NearChunk {
  /** Chunk number in the workspace. */
  number: number;
  /** Base64, because the driver receives binary values as hexadecimal text; null if the chunk is no longer served. */
  vector: string | null;
}

const readNear = (chosen: string | undefined) => `
    WITH ${
      chosen === undefined
        ? ''
        : `chosen AS MATERIALIZED (
      SELECT range_agg(int8range(v.first_chunk, v.first_chunk + v.chunk_count)) AS numbers
      FROM memo.documents d JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.serving_version
      WHERE d.workspace_id = $1 AND ${chosen}),`
    }
    near AS MATERIALIZED (
      SELECT number FROM memo.chunk_signatures
      WHERE space = $2${chosen === undefined ? '' : ' AND number <@ (SELECT numbers FROM chosen)'}
      ORDER BY bit_count(signature # $3::bit varying) LIMIT $4)
    SELECT near.number::float8 AS number, encode(served.vector, 'base64') AS vector
    FROM near LEFT JOIN LATERAL (
      SELECT x.vector FROM (
        SELECT * FROM memo.document_versions o
        WHERE o.workspace_id = $1 AND o.first_chunk <= near.number ORDER BY o.first_chunk DESC LIMIT 1) v
      JOIN memo.chunk_vectors x
        ON x.document_id = v.document_id AND x.version = v.version AND x.n = near.number - v.first_chunk AND x.space = $2
      WHERE near.number < v.first_chunk + v.chunk_count) served ON true`;
const READ_NEAR = { name: 'near-chunks', text: readNear(undefined) };
const DONE = 'CASE WHEN embedding_model = $3 THEN embedded ELSE 0 END';
const READ_UNEMBEDDED = `
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

/**
 * The chunks of a space whose signatures are nearest to a signature, at most `count`. The order is approximately that of
 * their distances.
 * @param chosen the documents that are searched; null for all
 */
export async function readNearChunks(
  executor: Executor,
  workspaceId: string,
  space: bigint,
  signature: string,
  count: number,
  chosen: ChosenDocuments | null,
): Promise<NearChunk[]> {
  const values = [workspaceId, space, signature, count];
  const statement = chosen
    ? { text: readNear(chosen.sql(values.length)), values: [...values, ...chosen.values] }
    : { ...READ_NEAR, values };
  return (await executor.query<NearChunk>(statement)).rows;
}

/** Whether published versions of the workspace have vectors of a model. */
export function hasVectorsOfModel(
  executor: Executor,
  workspaceId: string,
  embeddingModel: string,
): Promise<boolean> {
  return executor
    .repository(DocumentVersion)
    .existsBy({ workspaceId, firstChunk: Not(IsNull()), embeddingModel });
}

/** The next chunks, at most `count`; null if none are left or the version is no longer published. */
export async function readUnembedded(
  executor: Executor,
  { documentId, version }: VersionRef,
  model: string,
  count: number,
): Promise<UnembeddedChunks | null> {
  const values = [documentId, version, model, count];
  return (await executor.query<UnembeddedChunks>(READ_UNEMBEDDED, values)).rows[0] ?? null;
}

/** Stores nothing if the version is no longer published, or if another process has stored the same vectors. */
export async function storeVectors(
  transaction: Transaction,
  { documentId, version }: VersionRef,
  model: string,
  { workspaceId, firstChunk, from }: UnembeddedChunks,
  vectors: Float32Array[],
): Promise<void> {
  const [to, dimensions] = [from + vectors.length, vectors[0]!.length];
  const { rowCount } = await transaction.query(ADVANCE, [documentId, version, model, from, to]);
  if (rowCount === 0) return;
  await transaction.query(DELETE_BEFORE, [documentId, version, from, to]);
  const packed = packVectors(vectors);
  await transaction.query(INSERT, [
    ...[documentId, version, spaceOf(workspaceId, model, dimensions), from, firstChunk],
    ...[vectors.map(signatureOf), packed, packed.length / vectors.length],
  ]);
}

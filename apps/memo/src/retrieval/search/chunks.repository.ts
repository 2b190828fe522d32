import { type Executor, type Transaction } from '@inference/database';
import { In } from 'typeorm';
import { type Chunk } from '../../tables/chunk.entity';
import { MemoDocument } from '../../tables/document.entity';
import { type Passage } from './passage';

/**
 * Passages that are still served, in any order. Places are counted in UTF-16, of which a character has up to two units; so the breaks
 * may be too many.
 */
const READ_PASSAGES = {
  name: 'search-passages',
  text: `
    SELECT asked.number::float8 AS number, d.id AS "documentId", d.external_id AS "externalId", v.title, v.version,
      c.n AS "chunkIndex", c.start_at AS start, c.text, page.*
    FROM unnest($2::bigint[]) AS asked(number)
    CROSS JOIN LATERAL (
      SELECT * FROM memo.document_versions x
      WHERE x.workspace_id = $1 AND x.first_chunk <= asked.number ORDER BY x.first_chunk DESC LIMIT 1) v
    JOIN memo.documents d ON d.id = v.document_id AND d.workspace_id = $1 AND d.serving_version = v.version
    JOIN memo.chunks c
      ON c.document_id = v.document_id AND c.version = v.version AND c.n = asked.number - v.first_chunk
    CROSS JOIN LATERAL (
      SELECT nullif(count(*) FILTER (WHERE starts <= c.start_at), 0)::integer AS page,
        coalesce(array_agg(starts) FILTER (WHERE starts > c.start_at AND starts < c.start_at + 2 * length(c.text)), '{}') AS "pageBreaks"
      FROM unnest(v.page_starts) AS starts) page
    WHERE asked.number < v.first_chunk + v.chunk_count`,
};
/** Chunks of published versions, also of those that are not served any more as long as they are stored. */
const READ_TEXTS = `
  SELECT asked.number::float8 AS number, v.title, c.text
  FROM unnest($2::bigint[]) AS asked(number)
  CROSS JOIN LATERAL (
    SELECT * FROM memo.document_versions x
    WHERE x.workspace_id = $1 AND x.first_chunk <= asked.number ORDER BY x.first_chunk DESC LIMIT 1) v
  JOIN memo.chunks c ON c.document_id = v.document_id AND c.version = v.version AND c.n = asked.number - v.first_chunk
  WHERE asked.number < v.first_chunk + v.chunk_count`;
/**
 * Inserts only while the claim holds. The share lock prevents a concurrent deletion of the version. Without it, chunks
 * that are inserted after the deletion of the earlier chunks would remain. If another process takes the version over
 * and inserts the same chunks, one of the two inserts fails. A stronger lock would block the heartbeat.
 */
const INSERT = {
  name: 'chunks-insert',
  text: `
    INSERT INTO memo.chunks (document_id, version, n, start_at, lead, text)
    SELECT $1, $2, u.* FROM unnest($4::integer[], $5::integer[], $6::text[], $7::text[]) AS u
    WHERE EXISTS (SELECT FROM memo.document_versions v
      WHERE v.document_id = $1 AND v.version = $2 AND v.status = 'processing' AND v.runner = $3 FOR KEY SHARE)`,
};
const INSERT_ALL = {
  name: 'chunks-insert-all',
  text: `
    INSERT INTO memo.chunks (document_id, version, n, start_at, lead, text)
    SELECT * FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[], $5::text[], $6::text[])`,
};
const DELETE_ALL = 'DELETE FROM memo.chunks WHERE document_id = $1 AND version = $2';
/** Addresses rows by ctid: the planner has no statistics about new rows and would otherwise scan for each of them. */
const DELETE = `
  WITH gone AS (
    DELETE FROM memo.chunks WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM memo.chunks WHERE document_id = $1 AND version = $2 LIMIT $3))
    RETURNING n),
  vectors AS (
    DELETE FROM memo.chunk_vectors x WHERE x.document_id = $1 AND x.version = $2 AND x.n = ANY (ARRAY(SELECT n FROM gone))
    RETURNING space, number),
  signatures AS (
    DELETE FROM memo.chunk_signatures s USING vectors x WHERE s.space = x.space AND s.number = x.number)
  SELECT FROM gone`;

export type StoredPassage = Omit<Passage, 'score'>;

/** Those of the documents that the workspace has. */
export async function findDocumentIds(
  executor: Executor,
  workspaceId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const found = await executor
    .repository(MemoDocument)
    .find({ select: { id: true }, where: { workspaceId, id: In(ids) } });
  return new Set(found.map(({ id }) => id));
}

/** Reads passages by chunk number. Passages that are no longer served are missing. */
export async function readPassages(
  executor: Executor,
  workspaceId: string,
  numbers: number[],
): Promise<Map<number, StoredPassage>> {
  const { rows } = await executor.query<Omit<StoredPassage, 'end'> & { number: number }>({
    ...READ_PASSAGES,
    values: [workspaceId, numbers],
  });
  return new Map(
    rows.map(({ number, ...passage }) => {
      const end = passage.start + passage.text.length;
      return [number, { ...passage, end, pageBreaks: passage.pageBreaks.filter((start) => start < end) }];
    }),
  );
}

/** The texts of chunks by their number in the workspace. */
export async function readTextsOfChunks(
  executor: Executor,
  workspaceId: string,
  numbers: readonly number[],
): Promise<Map<number, { title: string; text: string }>> {
  const { rows } = await executor.query<{ number: number; title: string; text: string }>(READ_TEXTS, [
    workspaceId,
    numbers,
  ]);
  return new Map(rows.map(({ number, title, text }) => [number, { title, text }]));
}

/**
 * Inserts chunks of a version while its claim holds. Returns how many were inserted: all or none.
 * @param claim the version and the `runner` that has claimed it
 */
export async function insertChunks(
  executor: Executor,
  { documentId, version, runner }: Pick<Chunk, 'documentId' | 'version'> & { runner: string },
  chunks: readonly Pick<Chunk, 'n' | 'startAt' | 'lead' | 'text'>[],
): Promise<number> {
  const { rowCount } = await executor.query({
    ...INSERT,
    values: [
      ...[documentId, version, runner],
      chunks.map(({ n }) => n),
      chunks.map(({ startAt }) => startAt),
      chunks.map(({ lead }) => lead),
      chunks.map(({ text }) => text),
    ],
  });
  return rowCount!;
}

/** Inserts chunks of several versions, whose claims the transaction has locked. */
export async function insertChunksOfVersions(
  transaction: Transaction,
  chunks: readonly Pick<Chunk, 'documentId' | 'version' | 'n' | 'startAt' | 'lead' | 'text'>[],
): Promise<void> {
  await transaction.query({
    ...INSERT_ALL,
    values: [
      chunks.map(({ documentId }) => documentId),
      chunks.map(({ version }) => version),
      chunks.map(({ n }) => n),
      chunks.map(({ startAt }) => startAt),
      chunks.map(({ lead }) => lead),
      chunks.map(({ text }) => text),
    ],
  });
}

/** Deletes all chunks of a version, which has no vectors yet. */
export async function deleteAllChunks(
  executor: Executor,
  documentId: string,
  version: number,
): Promise<void> {
  await executor.query(DELETE_ALL, [documentId, version]);
}

/** Deletes chunks of a version with their vectors, at most `count`. Returns how many chunks. */
export async function deleteChunks(
  transaction: Transaction,
  documentId: string,
  version: number,
  count: number,
): Promise<number> {
  return (await transaction.query(DELETE, [documentId, version, count])).rowCount!;
}

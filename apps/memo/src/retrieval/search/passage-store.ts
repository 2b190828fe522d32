import { type Sql } from '@inference/database';
import { type Passage } from './passage';

/** Passages that are still served, in any order. */
const READ = {
  name: 'search-passages',
  text: `
    SELECT asked.number::float8 AS number, d.id AS "documentId", d.external_id AS "externalId", v.title, v.version,
      c.n AS "chunkIndex", c.start_at AS start, c.text
    FROM unnest($2::bigint[]) AS asked(number)
    CROSS JOIN LATERAL (
      SELECT * FROM memo.document_versions x
      WHERE x.workspace_id = $1 AND x.first_chunk <= asked.number ORDER BY x.first_chunk DESC LIMIT 1) v
    JOIN memo.documents d ON d.id = v.document_id AND d.workspace_id = $1 AND d.serving_version = v.version
    JOIN memo.chunks c
      ON c.document_id = v.document_id AND c.version = v.version AND c.n = asked.number - v.first_chunk
    WHERE asked.number < v.first_chunk + v.chunk_count`,
};

type PassageRow = Omit<Passage, 'end' | 'score'> & { number: number };
export type StoredPassage = Omit<Passage, 'score'>;

/** Reads passages by chunk number. Passages that are no longer served are missing. */
export async function readPassages(
  sql: Sql,
  workspaceId: string,
  numbers: number[],
): Promise<Map<number, StoredPassage>> {
  const { rows } = await sql.query<PassageRow>({ ...READ, values: [workspaceId, numbers] });
  return new Map(
    rows.map(({ number, ...passage }) => [number, { ...passage, end: passage.start + passage.text.length }]),
  );
}

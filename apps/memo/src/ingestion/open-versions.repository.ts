import { type Executor } from '@inference/database';
import { type DocumentVersion } from '../tables/document-version.entity';

const COUNT = `
  SELECT s.status, count(v.created_at)::integer AS documents,
    coalesce(extract(epoch FROM clock_timestamp() - min(v.created_at)), 0)::float8 AS seconds
  FROM unnest(ARRAY['queued', 'processing']) s (status)
    LEFT JOIN (
      SELECT status, created_at FROM memo.document_versions WHERE status IN ('queued', 'processing')
      ORDER BY heartbeat_at LIMIT $1) v ON v.status = s.status
  GROUP BY s.status`;

export type OpenVersions = Pick<DocumentVersion, 'status'> & {
  documents: number;
  /** Age of the oldest one; 0 without one. */
  seconds: number;
};

/** How many versions wait for ingestion or are being read, by status. Counts the `limit` versions that nobody has worked on for longest. */
export async function measureOpenVersions(executor: Executor, limit: number): Promise<OpenVersions[]> {
  return (await executor.query<OpenVersions>(COUNT, [limit])).rows;
}

import { type Executor } from '@inference/database';
import { type DocumentVersion } from '../documents/document-version.entity';

const COUNT = `
  SELECT s.status, count(v.created_at)::integer AS documents,
    coalesce(extract(epoch FROM clock_timestamp() - min(v.created_at)), 0)::float8 AS seconds
  FROM unnest(ARRAY['queued', 'processing']) s (status)
    LEFT JOIN memo.document_versions v ON v.status = s.status AND v.status IN ('queued', 'processing')
  GROUP BY s.status`;

type OpenVersions = Pick<DocumentVersion, 'status'> & {
  documents: number;
  /** Age of the oldest one; 0 without one. */
  seconds: number;
};

/** How many versions wait for ingestion or are being read, by status. */
export async function measureOpenVersions(executor: Executor): Promise<OpenVersions[]> {
  return (await executor.query<OpenVersions>(COUNT)).rows;
}

import { type Executor } from '@inference/database';
import { type DocumentVersion } from '../documents/document-version.entity';

const COUNT = `
  SELECT status, count(*)::integer AS documents,
    extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS seconds
  FROM memo.document_versions WHERE status IN ('queued', 'processing') GROUP BY status`;

type OpenVersions = Pick<DocumentVersion, 'status'> & {
  documents: number;
  /** Age of the oldest one. */
  seconds: number;
};

/** How many versions wait for ingestion or are being read, by status. A status without versions is missing. */
export async function measureOpenVersions(executor: Executor): Promise<OpenVersions[]> {
  return (await executor.query<OpenVersions>(COUNT)).rows;
}

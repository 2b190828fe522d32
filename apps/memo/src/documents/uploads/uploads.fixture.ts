import { type TestPool } from '@inference/testing';
import { createHash } from 'node:crypto';

export const POLICY = { title: 'Refund policy', text: 'Refunds are issued within five days.' };

export const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

export function form(
  content: string | Buffer,
  name: string,
  fields: Record<string, string> = {},
  type = '',
): FormData {
  const made = fieldsOnly(fields);
  made.append('file', new Blob([content], { type }), name);
  return made;
}

export function fieldsOnly(fields: Record<string, string>): FormData {
  const made = new FormData();
  for (const [field, value] of Object.entries(fields)) made.append(field, value);
  return made;
}

/** Number of stored files. */
export async function partsStored(pool: TestPool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    'SELECT count(DISTINCT upload_id)::integer AS n FROM memo.source_parts',
  );
  return rows[0]!.n;
}

/** Number of stored files that belong to a version. */
export async function uploadsKnown(pool: TestPool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    'SELECT count(*)::integer AS n FROM memo.document_versions WHERE upload_id IS NOT NULL',
  );
  return rows[0]!.n;
}

import { type PackageResponse } from './packages.dto';

/** Columns of a PackageRow; the query names the table `catalogue.packages p`. */
export const PACKAGE_COLUMNS = `
  p.id, p.slug, p.version, p.file_name, p.size, p.sha256, p.created_at, p.stored_at, p.published_at,
  EXISTS (SELECT FROM catalogue.models m WHERE m.package_id = p.id) AS is_published`;

export interface PackageRow {
  id: string;
  slug: string;
  version: string;
  file_name: string;
  size: bigint;
  sha256: Buffer | null;
  created_at: Date;
  stored_at: Date | null;
  published_at: Date | null;
  is_published: boolean;
}

export function packageResponse(row: PackageRow): PackageResponse {
  return {
    slug: row.slug,
    version: row.version,
    file_name: row.file_name,
    size: Number(row.size),
    sha256: row.sha256?.toString('hex') ?? null,
    status: row.is_published ? 'published' : row.stored_at ? 'stored' : 'uploading',
    created_at: row.created_at.toISOString(),
    published_at: row.published_at?.toISOString() ?? null,
  };
}

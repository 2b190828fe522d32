import { ForbiddenException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { Database } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { readLastChange } from '../../caching/catalogue-changes.repository';
import { countPackageDownload } from '../downloads/downloads.repository';
import { OBJECT_STORAGE, type ObjectStorage } from '../storage/object-storage';
import { STORAGE_CONFIG, type StorageConfig } from '../storage/storage.config';
import { type ModelListResponse, type ModelResponse } from './models.dto';

const PUBLISHED = `
  SELECT m.slug, m.name, m.description, m.family, m.parameters, m.quantization, m.format, m.license,
    p.version, p.file_name, p.size, p.sha256, p.published_at, p.id AS package_id,
    to_char(p.published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM catalogue.models m JOIN catalogue.packages p ON p.id = m.package_id`;
const FIND = `${PUBLISHED} WHERE m.slug = $1`;
/** The published package, or the given version if it was published once and is not removed. */
const FIND_PACKAGE = `
  SELECT p.id, p.file_name AS "fileName" FROM catalogue.models m JOIN catalogue.packages p ON p.slug = m.slug
  WHERE m.slug = $1 AND m.package_id IS NOT NULL AND p.published_at IS NOT NULL AND p.removed_at IS NULL
    AND CASE WHEN $2::text IS NULL THEN p.id = m.package_id ELSE p.version = $2 END`;
const LIST = `${PUBLISHED}
  WHERE $1::timestamptz IS NULL OR (p.published_at, p.id) < ($1, $2)
  ORDER BY p.published_at DESC, p.id DESC LIMIT $3`;

interface Row extends Omit<ModelResponse, 'size' | 'sha256' | 'published_at'> {
  size: bigint;
  sha256: Buffer;
  published_at: Date;
  package_id: string;
  at: string;
}

/** The published models: public to read, for accounts to download. */
@Injectable()
export class ModelsService {
  constructor(
    private readonly database: Database,
    @Inject(STORAGE_CONFIG) private readonly config: StorageConfig,
    @Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage,
  ) {}

  /** A page in the order of publication, newest first. */
  async list(query: PageQuery): Promise<CacheableResponse<ModelListResponse>> {
    const changedAt = await readLastChange(this.database, 'models');
    const { rows, nextCursor } = await readPage('models', query, async (after, count) => {
      const found = await this.database.query<Row>(LIST, [after?.at ?? null, after?.id ?? null, count]);
      return found.rows.map((row) => ({ row, position: { at: row.at, id: row.package_id } }));
    });
    return { body: { models: rows.map(({ row }) => responseOf(row)), next_cursor: nextCursor }, changedAt };
  }

  /** Throws NotFoundException if no such model is published. */
  async find(slug: string): Promise<CacheableResponse<ModelResponse>> {
    const changedAt = await readLastChange(this.database, 'models');
    const { rows } = await this.database.query<Row>(FIND, [slug]);
    if (!rows[0]) throw new NotFoundException('no such model');
    return { body: responseOf(rows[0]), changedAt };
  }

  /**
   * Returns an expiring link to a package of a published model: the published one if `version` is null. The link is
   * counted as a download unless `isHead`. Throws NotFoundException if there is no such version, ForbiddenException if
   * the caller's API key does not allow the model.
   */
  async link(caller: Caller, slug: string, version: string | null, isHead: boolean): Promise<string> {
    const { rows } = await this.database.query<{ id: string; fileName: string }>(FIND_PACKAGE, [
      slug,
      version,
    ]);
    if (!rows[0]) throw new NotFoundException(version === null ? 'no such model' : 'no such version');
    const { id, fileName } = rows[0];
    const allowed = caller.apiKey?.allowedModels;
    if (allowed && !allowed.includes(slug)) throw new ForbiddenException('this key may not use that model');
    const { linkTtlSeconds: expiresInSeconds } = this.config;
    const url = await this.storage.link(id, { fileName, expiresInSeconds });
    if (!isHead) await countPackageDownload(this.database, id, caller.accountId);
    return url;
  }
}

function responseOf({
  package_id: _package,
  at: _at,
  size,
  sha256,
  published_at: at,
  ...row
}: Row): ModelResponse {
  return { ...row, size: Number(size), sha256: sha256.toString('hex'), published_at: at.toISOString() };
}

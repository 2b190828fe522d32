import { Database } from '@inference/database';
import { allowsModel, type Caller } from '@inference/guards';
import { type PageQuery, readPage } from '@inference/http';
import { type ObjectStorage } from '@inference/storage';
import { ForbiddenException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { readLastChange } from '../../caching/catalogue-changes.repository';
import { STORAGE_CONFIG, type StorageConfig } from '../catalogue.config';
import { countPackageDownload } from '../downloads/downloads.repository';
import { OBJECT_STORAGE } from '../storage/object-storage.provider';
import {
  findDownloadablePackage,
  findPublishedPackage,
  listPublishedPackages,
  listPublishedSlugs,
  type PublishedPackage,
} from './model-packages/packages.repository';
import { type ModelListResponse, type ModelResponse } from './models.dto';
import { modelDescription } from './models.repository';

const MILLIS_PER_SECOND = 1_000;

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
    const { rows, nextCursor } = await readPage('models', query, (after, count) =>
      listPublishedPackages(this.database, after, count),
    );
    return { body: { models: rows.map(responseOf), next_cursor: nextCursor }, changedAt };
  }

  /** The slugs of all published models. */
  listSlugs(): Promise<string[]> {
    return listPublishedSlugs(this.database);
  }

  /** Throws NotFoundException if no such model is published. */
  async find(slug: string): Promise<CacheableResponse<ModelResponse>> {
    const changedAt = await readLastChange(this.database, 'models');
    const published = await findPublishedPackage(this.database, slug);
    if (!published) throw new NotFoundException('no such model');
    return { body: responseOf(published), changedAt };
  }

  /**
   * Returns an expiring link to a package of a published model: the published one if `version` is null. The link is
   * counted as a download unless `isHead`. Throws NotFoundException if there is no such version, ForbiddenException if
   * the caller's API key does not allow the model.
   */
  async link(
    caller: Caller,
    slug: string,
    version: string | null,
    isHead: boolean,
  ): Promise<{ url: string; expiresAt: Date }> {
    const found = await findDownloadablePackage(this.database, slug, version);
    if (!found) throw new NotFoundException(version === null ? 'no such model' : 'no such version');
    const { id, fileName } = found;
    if (!allowsModel(caller, slug)) throw new ForbiddenException('this key may not use that model');
    const { linkTtlSeconds: expiresInSeconds } = this.config;
    const expiresAt = new Date(Date.now() + expiresInSeconds * MILLIS_PER_SECOND);
    const url = await this.storage.link(id, { fileName, expiresInSeconds });
    if (!isHead) await countPackageDownload(this.database, id, caller.accountId);
    return { url, expiresAt };
  }
}

const responseOf = (published: PublishedPackage): ModelResponse => ({
  ...modelDescription(published.model),
  version: published.version,
  file_name: published.fileName,
  size: Number(published.size),
  sha256: published.sha256.toString('hex'),
  published_at: published.publishedAt.toISOString(),
});

import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { waitFor } from '@inference/testing';
import { type TestSite } from '../../../testing/console.fixture';
import { STORAGE_CONFIG, type StorageConfig } from '../../catalogue.config';
import { PackageCleanupJob } from './package-cleanup.job';

interface Row {
  id: string;
  stored: boolean;
}

/** Inspects packages in the database and in the storage folder, and makes time pass for them. */
export class StoredPackages {
  private readonly folder: string;

  constructor(private readonly site: TestSite) {
    const { backend } = site.console.app.get<StorageConfig>(STORAGE_CONFIG);
    if ('s3' in backend) throw new Error('This shelf is a folder.');
    this.folder = backend.folder;
  }

  /** Packages that are stored or being uploaded. */
  async rowsOf(slug: string): Promise<Row[]> {
    const { rows } = await this.site.database.pool.query<Row>(
      `SELECT id, stored_at IS NOT NULL AS stored FROM catalogue.packages
       WHERE slug = $1 AND (removed_at IS NULL OR stored_at IS NOT NULL) ORDER BY created_at`,
      [slug],
    );
    return rows;
  }

  /** Counts all packages of a model, including the ones that were given up. */
  async countOf(slug: string): Promise<number | null> {
    const find = 'SELECT FROM catalogue.packages WHERE slug = $1';
    return (await this.site.database.pool.query(find, [slug])).rowCount;
  }

  isStored(id: string): boolean {
    return existsSync(join(this.folder, 'packages', id));
  }

  /** Puts a folder in the place of the file, which the storage cannot remove. Returns a function that removes it. */
  obstruct(id: string): () => void {
    rmSync(join(this.folder, 'packages', id));
    return this.occupy(id);
  }

  /** Like `obstruct`, before there is a file. */
  occupy(id: string): () => void {
    const path = join(this.folder, 'packages', id);
    mkdirSync(path);
    return () => rmdirSync(path);
  }

  /** Takes a byte of an upload away. */
  truncateIncoming(id: string): void {
    const path = join(this.folder, 'incoming', id);
    truncateSync(path, statSync(path).size - 1);
  }

  isIncoming(id: string): boolean {
    const folder = join(this.folder, 'incoming');
    return existsSync(folder) && readdirSync(folder).includes(id);
  }

  /** Resolves when the first bytes of an upload are on the disk. */
  waitForIncoming(slug: string): Promise<Row> {
    return waitFor(async () => {
      const [row] = await this.rowsOf(slug);
      return row !== undefined && this.isIncoming(row.id) && row;
    });
  }

  /** Expires an upload, as if its replica had stopped renewing it. */
  async expireUpload(id: string): Promise<void> {
    await this.site.database.pool.query(
      "UPDATE catalogue.packages SET uploading_until = now() - interval '1 second' WHERE id = $1",
      [id],
    );
  }

  async expireLinks(): Promise<void> {
    await this.site.database.pool.query(
      "UPDATE catalogue.packages SET removed_at = removed_at - interval '1 hour'",
    );
  }

  runCleanup(): Promise<void> {
    return this.site.console.app.get(PackageCleanupJob).run();
  }
}

export async function answerOf(upload: ClientRequest): Promise<[status: number, body: string]> {
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  return [response.statusCode ?? 0, await text(response)];
}

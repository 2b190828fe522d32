import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { waitFor } from '@inference/testing';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type TestSite } from '../console.fixture';
import { PackageSweep } from './package-sweep';

interface Row {
  id: string;
  stored: boolean;
}

/** What the database and the storage's folder have of packages, and how time passes for them. */
export class PackageShelf {
  private readonly folder: string;

  constructor(private readonly site: TestSite) {
    const { storage } = site.console.app.get<ConsoleConfig>(CONSOLE_CONFIG).catalogue;
    if ('s3' in storage) throw new Error('This shelf is a folder.');
    ({ folder: this.folder } = storage.folder);
  }

  /** Stored ones, and those that somebody may still complete. */
  async rowsOf(slug: string): Promise<Row[]> {
    const { rows } = await this.site.database.pool.query<Row>(
      `SELECT id, stored_at IS NOT NULL AS stored FROM catalogue.packages
       WHERE slug = $1 AND (removed_at IS NULL OR stored_at IS NOT NULL) ORDER BY created_at`,
      [slug],
    );
    return rows;
  }

  /** Given up ones too. */
  async countOf(slug: string): Promise<number | null> {
    const find = 'SELECT FROM catalogue.packages WHERE slug = $1';
    return (await this.site.database.pool.query(find, [slug])).rowCount;
  }

  isStored(id: string): boolean {
    return existsSync(join(this.folder, 'packages', id));
  }

  isComingIn(id: string): boolean {
    const folder = join(this.folder, 'incoming');
    return existsSync(folder) && readdirSync(folder).includes(id);
  }

  /** Resolves when the first bytes of an upload are on the disk. */
  arriving(slug: string): Promise<Row> {
    return waitFor(async () => {
      const [row] = await this.rowsOf(slug);
      return row !== undefined && this.isComingIn(row.id) && row;
    });
  }

  /** Of an upload that its host renews no more. */
  async endLease(id: string): Promise<void> {
    await this.site.database.pool.query(
      "UPDATE catalogue.packages SET uploading_until = now() - interval '1 second' WHERE id = $1",
      [id],
    );
  }

  async letLinksExpire(): Promise<void> {
    await this.site.database.pool.query(
      "UPDATE catalogue.packages SET removed_at = removed_at - interval '1 hour'",
    );
  }

  sweep(): Promise<void> {
    return this.site.console.app.get(PackageSweep).run();
  }
}

export async function answerOf(upload: ClientRequest): Promise<[status: number, body: string]> {
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  return [response.statusCode ?? 0, await text(response)];
}

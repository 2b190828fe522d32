import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import {
  BadRequestException,
  type BeforeApplicationShutdown,
  ConflictException,
  Inject,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { inTransaction, newId, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { type Request, type Response } from 'express';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Actor } from '../events/actor';
import { recordEvent } from '../events/security-events';
import { OBJECT_STORAGE, type ObjectStorage } from '../storage/object-storage';
import { type PackageView } from './models.dto';
import { PACKAGE_COLUMNS, type PackageRow, packageView } from './package';
import { readUploadHeaders, type UploadHeaders } from './upload-headers';

/** A client that sends nothing for so long is taken to have left. */
const STALL_MILLIS = 60_000;
/** What is still coming in so long after the service was told to stop is cut off: it may be hours from its end. */
const DRAIN_MILLIS = 3_000;
const LEASE_SECONDS = 120;
const RENEW_MILLIS = 20_000;

/** A published version stays taken, even when its package is removed. */
const FIND_TAKEN = `
  SELECT ${PACKAGE_COLUMNS}, p.removed_at IS NOT NULL AS removed FROM catalogue.packages p
  WHERE p.slug = $1 AND p.version = $2 AND p.stored_at IS NOT NULL
    AND (p.removed_at IS NULL OR p.published_at IS NOT NULL)`;
const OPEN = `
  INSERT INTO catalogue.packages (id, slug, version, file_name, size, uploaded_by, uploading_until)
  VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}))`;
const RENEW = `
  UPDATE catalogue.packages SET uploading_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
  WHERE id = $1 AND uploading_until IS NOT NULL AND removed_at IS NULL`;
/** Nothing happens when another upload of this version was complete before. */
const COMPLETE = `
  UPDATE catalogue.packages p SET sha256 = $2, stored_at = clock_timestamp(), uploading_until = NULL
  WHERE p.id = $1 AND p.stored_at IS NULL AND p.removed_at IS NULL
  RETURNING ${PACKAGE_COLUMNS}`;
const DRAFT = `
  INSERT INTO catalogue.models (id, slug, name, description) VALUES ($1, $2, $2, '') ON CONFLICT DO NOTHING`;
const DROP = 'DELETE FROM catalogue.packages WHERE id = $1 AND stored_at IS NULL';
const LOCK_VERSION = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

export interface NewPackage {
  slug: string;
  version: string;
  fileName: string;
}

type Stored = PackageRow & { removed: boolean };

/** Takes packages in as they come over the wire; nobody sees one before it is whole and safe. */
@Injectable()
export class UploadService implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(UploadService.name);
  private readonly underway = new Map<Request, Promise<unknown>>();
  private drain: NodeJS.Timeout | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    @Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage,
  ) {}

  /**
   * Stores the request's body as the package of this version; `isNew` is false when just this content was stored
   * before. Throws 400, 411, 413, 415 for what cannot be stored, ConflictException when the version is another
   * content's, StorageUnavailableError.
   */
  async receive(
    admin: Actor,
    wanted: NewPackage,
    request: Request,
    response: Response,
  ): Promise<{ isNew: boolean; package: PackageView }> {
    const received = this.take(admin, wanted, request, response);
    this.underway.set(request, received);
    try {
      return await received;
    } finally {
      this.underway.delete(request);
    }
  }

  beforeApplicationShutdown(): void {
    this.drain = setTimeout(() => {
      for (const request of this.underway.keys()) request.destroy();
    }, DRAIN_MILLIS);
  }

  /** Resolves when what was cut off is cleared away. */
  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.drain);
    await Promise.allSettled(this.underway.values());
  }

  private async take(
    admin: Actor,
    wanted: NewPackage,
    request: Request,
    response: Response,
  ): Promise<{ isNew: boolean; package: PackageView }> {
    const headers = readUploadHeaders(request.headers, this.config.catalogue.maxPackageBytes);
    const taken = await findTaken(this.pool, wanted);
    if (taken) return repeated(taken, headers.sha256);
    const id = newId('pkg');
    await this.pool.query(OPEN, [
      id,
      wanted.slug,
      wanted.version,
      wanted.fileName,
      headers.sizeBytes,
      admin.accountId,
    ]);
    const renewal = setInterval(() => void this.renew(id), RENEW_MILLIS);
    try {
      if (request.headers.expect !== undefined) response.writeContinue();
      const sha256 = await this.store(id, request, headers);
      return await this.complete(admin, id, wanted, sha256);
    } catch (error) {
      await this.discard(id);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async store(id: string, request: Request, { sizeBytes, sha256 }: UploadHeaders): Promise<Buffer> {
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const cutOff = new BadRequestException('the upload was cut off');
    if (request.destroyed) throw cutOff;
    const stall = () => request.destroy();
    request.setTimeout(STALL_MILLIS, stall);
    request.once('error', () => hashing.destroy(cutOff));
    request.once('close', () => request.complete || hashing.destroy(cutOff));
    await this.storage.write(id, request.pipe(hashing), sizeBytes);
    request.setTimeout(0);
    request.off('timeout', stall);
    const found = hash.digest();
    if (sha256 && !sha256.equals(found))
      throw new BadRequestException('the content does not have the digest that Content-Digest announces');
    return found;
  }

  /** Two uploads of one version may both get here, one after the other: the first one's content stays. */
  private async complete(
    admin: Actor,
    id: string,
    { slug, version }: NewPackage,
    sha256: Buffer,
  ): Promise<{ isNew: boolean; package: PackageView }> {
    const result = await inTransaction(this.pool, async (sql) => {
      await sql.query(LOCK_VERSION, [`catalogue.packages ${slug} ${version}`]);
      const taken = await findTaken(sql, { slug, version });
      if (taken) return repeated(taken, sha256);
      const { rows } = await sql.query<PackageRow>(COMPLETE, [id, sha256]);
      if (!rows[0]) throw new ConflictException('the upload was given up: begin again');
      await sql.query(DRAFT, [newId('mdl'), slug]);
      await recordEvent(sql, {
        type: 'admin.package_uploaded',
        accountId: admin.accountId,
        actorId: admin.accountId,
        origin: admin.origin,
        details: { slug, version, sha256: sha256.toString('hex') },
      });
      return { isNew: true, package: packageView(rows[0]) };
    });
    if (!result.isNew) await this.discard(id);
    return result;
  }

  /** While the database is away the lease goes on; past its end the sweep gives the upload up. */
  private async renew(id: string): Promise<void> {
    await this.pool.query(RENEW, [id]).catch((error: unknown) => this.logger.warn(error));
  }

  /** What cannot be cleared away now is left to the sweep. */
  private async discard(id: string): Promise<void> {
    try {
      await this.storage.remove(id);
      await this.pool.query(DROP, [id]);
    } catch (error) {
      this.logger.warn(error);
    }
  }
}

async function findTaken(sql: Sql, { slug, version }: Pick<NewPackage, 'slug' | 'version'>) {
  const { rows } = await sql.query<Stored>(FIND_TAKEN, [slug, version]);
  return rows[0];
}

/** The same content once more is what a client sends that did not get the first answer. */
function repeated({ removed, ...row }: Stored, sha256: Buffer | null) {
  if (removed || !sha256 || !row.sha256?.equals(sha256))
    throw new ConflictException(
      removed
        ? 'this version was published and removed'
        : 'this version is another package: a package never changes',
    );
  return { isNew: false, package: packageView(row) };
}

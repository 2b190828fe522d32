import { type IncomingMessage, type ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import {
  BadRequestException,
  type BeforeApplicationShutdown,
  ConflictException,
  Inject,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { inTransaction, newId, SQL_POOL, type SqlPool } from '@inference/database';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Actor } from '../events/actor';
import { recordAct } from '../events/security-events';
import { OBJECT_STORAGE, type ObjectStorage } from '../storage/object-storage';
import { type PackageView } from './models.dto';
import { type PackageRow, packageView } from './package';
import {
  abandonUpload,
  completeUpload,
  findTaken,
  openUpload,
  renewUpload,
  type TakenPackage,
} from './uploads';
import { UploadBody } from './upload-body';
import { readUploadHeaders, type UploadHeaders } from './upload-headers';

/** What is still coming in so long after the service was told to stop is cut off: it may be hours from its end. */
const DRAIN_MILLIS = 3_000;
const GIVEN_UP = 'the upload was given up: begin again';

/** How long a client may stall, and how often an upload's lease is renewed. */
export const UPLOAD_TIMES = { stallMillis: 60_000, renewMillis: 20_000 };

export interface NewPackage {
  slug: string;
  version: string;
  fileName: string;
}

interface Received {
  /** False when just this content was stored before. */
  isNew: boolean;
  package: PackageView;
}

/** Takes packages in as they come over the wire; nobody sees one before it is whole and safe. */
@Injectable()
export class UploadService implements BeforeApplicationShutdown, OnApplicationShutdown {
  /** Tests are in more of a hurry. */
  times = UPLOAD_TIMES;
  private readonly logger = new Logger(UploadService.name);
  private readonly underway = new Map<IncomingMessage, Promise<Received>>();
  private drain: NodeJS.Timeout | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    @Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage,
  ) {}

  /**
   * Stores the request's body as the package of this version. Throws 400, 411, 413, 415 for what cannot be stored,
   * ConflictException when the version is another content's, StorageUnavailableError.
   */
  async receive(
    admin: Actor,
    wanted: NewPackage,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Received> {
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
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Received> {
    const headers = readUploadHeaders(request.headers, this.config.catalogue.maxPackageBytes);
    const isAsking = request.headers.expect !== undefined;
    const body = new UploadBody(request, this.times.stallMillis);
    const taken = await findTaken(this.pool, wanted);
    if (taken) {
      const found = repeated(taken, headers.sha256);
      // A client that sends without having asked would be cut off in the middle of it, and might not see the answer.
      if (!isAsking) await finished(body.content.resume());
      return found;
    }
    const id = newId('pkg');
    await openUpload(this.pool, id, wanted, headers.sizeBytes, admin.accountId);
    const renewal = setInterval(() => void this.renew(id, body), this.times.renewMillis);
    try {
      if (isAsking) response.writeContinue();
      const sha256 = await this.store(id, body, headers);
      return await this.complete(admin, id, wanted, sha256);
    } catch (error) {
      await this.discard(id);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async store(id: string, body: UploadBody, { sizeBytes, sha256 }: UploadHeaders): Promise<Buffer> {
    await this.storage.write(id, body.content, sizeBytes);
    const found = body.digest();
    if (sha256 && !sha256.equals(found))
      throw new BadRequestException('the content does not have the digest that Content-Digest announces');
    return found;
  }

  /** Two uploads of one version may both get here, one after the other: the first one's content stays. */
  private async complete(admin: Actor, id: string, wanted: NewPackage, sha256: Buffer): Promise<Received> {
    const { slug, version } = wanted;
    const outcome = await inTransaction(this.pool, async (sql): Promise<TakenPackage | PackageRow> => {
      const completed = await completeUpload(sql, id, wanted, sha256);
      if (!completed) throw new ConflictException(GIVEN_UP);
      if ('removed' in completed) return completed;
      await recordAct(sql, admin, 'admin.package_uploaded', {
        slug,
        version,
        sha256: sha256.toString('hex'),
      });
      return completed;
    });
    if (!('removed' in outcome)) return { isNew: true, package: packageView(outcome) };
    const found = repeated(outcome, sha256);
    await this.discard(id);
    return found;
  }

  /** While the database is away the upload goes on; it ends when another console has given it up. */
  private async renew(id: string, body: UploadBody): Promise<void> {
    try {
      if (!(await renewUpload(this.pool, id))) body.giveUp(new ConflictException(GIVEN_UP));
    } catch (error) {
      this.logger.warn(error);
    }
  }

  /** The sweep does it again, for a storage that was still at it, and alone for what cannot be cleared away now. */
  private async discard(id: string): Promise<void> {
    try {
      if (await abandonUpload(this.pool, id)) await this.storage.remove(id);
    } catch (error) {
      this.logger.warn(error);
    }
  }
}

/** The same content once more is what a client sends that did not get the first answer. */
function repeated({ removed, ...row }: TakenPackage, sha256: Buffer | null): Received {
  if (removed) throw new ConflictException('this version was published and removed');
  if (!sha256)
    throw new ConflictException('this version is stored; a Content-Digest would tell whether it is the same');
  if (!row.sha256?.equals(sha256))
    throw new ConflictException('this version is another content: a package never changes');
  return { isNew: false, package: packageView(row) };
}

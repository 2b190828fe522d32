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
import { Database, newId } from '@inference/database';
import { type ObjectStorage } from '@inference/storage';
import { type Actor } from '../../../identity/audit-log/actor';
import { STORAGE_CONFIG, type StorageConfig } from '../../storage/storage.config';
import { findVersion } from '../model-packages/packages.repository';
import { createDraftModel } from '../models.repository';
import { UploadBody } from './upload-body';
import {
  GIVEN_UP,
  type Received,
  resultForExisting,
  UploadCompletionService,
} from './upload-completion.service';
import { readUploadSize } from './upload-size';
import { openUpload, renewUpload } from './uploads.repository';
import { OBJECT_STORAGE } from '../../storage/object-storage.provider';

/** How long uploads may continue after the start of a shutdown. They may take hours, so they are cut off then. */
const DRAIN_MILLIS = 3_000;

/** How long a client may stall, and how often an upload is renewed. */
export const UPLOAD_TIMES = { stallMillis: 30_000, renewMillis: 20_000 };

export interface NewPackage {
  slug: string;
  version: string;
  fileName: string;
  /** The digest that the content must have; null if the client announces none. */
  sha256: Buffer | null;
}

/** Receives package uploads. A package becomes visible when it is stored completely and durably. */
@Injectable()
export class UploadService implements BeforeApplicationShutdown, OnApplicationShutdown {
  /** Tests shorten them. */
  times = UPLOAD_TIMES;
  private readonly logger = new Logger(UploadService.name);
  private readonly inProgress = new Map<IncomingMessage, Promise<Received>>();
  private drain: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    @Inject(STORAGE_CONFIG) private readonly config: StorageConfig,
    @Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage,
    private readonly completion: UploadCompletionService,
  ) {}

  /**
   * Stores the request's body as the package of this version. Throws an HttpException with status 400, 411, 413 or 415
   * for an invalid upload, ConflictException if the version has other content, StorageUnavailableError.
   */
  async receive(
    admin: Actor,
    wanted: NewPackage,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Received> {
    const received = this.process(admin, wanted, request, response);
    this.inProgress.set(request, received);
    try {
      return await received;
    } finally {
      this.inProgress.delete(request);
    }
  }

  beforeApplicationShutdown(): void {
    this.drain = setTimeout(() => {
      for (const request of this.inProgress.keys()) request.destroy();
    }, DRAIN_MILLIS);
  }

  /** Resolves when interrupted uploads are cleaned up. */
  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.drain);
    await Promise.allSettled(this.inProgress.values());
  }

  private async process(
    admin: Actor,
    wanted: NewPackage,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Received> {
    const sizeBytes = readUploadSize(request.headers, this.config.maxPackageBytes);
    const expectsContinue = request.headers.expect !== undefined;
    const body = new UploadBody(request, this.times.stallMillis);
    const { slug, version, fileName } = wanted;
    const existing = await findVersion(this.database, slug, version);
    if (existing) {
      const result = resultForExisting(existing, wanted.sha256);
      // A client that did not ask (`Expect: 100-continue`) is already sending: a response before the end of the body
      // would break the connection, and the client might not see it.
      if (!expectsContinue) await finished(body.content.resume());
      return result;
    }
    const id = newId('pkg');
    const size = BigInt(sizeBytes);
    await openUpload(this.database, { id, slug, version, fileName, size, uploadedBy: admin.accountId });
    await createDraftModel(this.database, slug);
    const renewal = setInterval(() => void this.renew(id, body), this.times.renewMillis);
    try {
      if (expectsContinue) response.writeContinue();
      const sha256 = await this.store(id, body, sizeBytes, wanted.sha256);
      return await this.complete(admin, id, wanted, sha256);
    } catch (error) {
      await this.completion.discard(id);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async store(
    id: string,
    body: UploadBody,
    sizeBytes: number,
    sha256: Buffer | null,
  ): Promise<Buffer> {
    await this.storage.write(id, body.content, sizeBytes);
    const found = body.digest();
    if (sha256 && !sha256.equals(found))
      throw new BadRequestException('the content does not have the digest that Content-Digest announces');
    return found;
  }

  private async complete(admin: Actor, id: string, wanted: NewPackage, sha256: Buffer): Promise<Received> {
    const received = await this.completion.complete(admin, id, wanted, sha256);
    if (!received.isNew) await this.completion.discard(id);
    return received;
  }

  /** The upload continues while the database is unreachable, and fails if another replica has given it up. */
  private async renew(id: string, body: UploadBody): Promise<void> {
    try {
      if (!(await renewUpload(this.database, id))) body.giveUp(new ConflictException(GIVEN_UP));
    } catch (error) {
      this.logger.warn(error);
    }
  }
}

import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Database, newId } from '@inference/database';
import { allowedMillis, LEAST_BYTES_PER_SECOND } from '@inference/http';
import { type ObjectStorage } from '@inference/storage';
import {
  BadRequestException,
  type BeforeApplicationShutdown,
  ConflictException,
  HttpException,
  Inject,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Actor } from '../../../accounts/audit-log/actor';
import { STORAGE_CONFIG, type StorageConfig } from '../../catalogue.config';
import { OBJECT_STORAGE } from '../../storage/object-storage.provider';
import { findVersion } from '../model-packages/packages.repository';
import { createDraftModel } from '../models.repository';
import {
  GIVEN_UP,
  type Received,
  resultForExisting,
  UploadCompletionService,
} from './upload-completion.service';
import { openUpload, renewUpload } from './uploads.repository';

/** Streams a request's body to the storage and computes its digest. */
class UploadBody {
  /** The body. It fails if the client disconnects or stalls, or after `giveUp`. */
  readonly content: Readable;
  private readonly hash = createHash('sha256');
  private failure: Error | undefined;
  private arrivedBytes = 0;
  /** How long the client was waited for. */
  private waitedMillis = 0;

  constructor(
    private readonly request: IncomingMessage,
    /** A client that sends nothing for this long while the server is reading is disconnected, or later one below the least rate. */
    private readonly stallMillis: number,
  ) {
    this.content = Readable.from(this.chunks(), { objectMode: false });
  }

  /** SHA-256 of what was read so far; to be called once. */
  digest(): Buffer {
    return this.hash.digest();
  }

  /** Makes the stream fail with this error at its next chunk. */
  giveUp(failure: Error): void {
    this.failure = failure;
  }

  private async *chunks(): AsyncGenerator<Buffer, void> {
    const interrupted = new BadRequestException('the upload was cut off');
    if (this.request.destroyed) throw interrupted;
    const incoming = this.request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    for (;;) {
      const { done, value } = await this.next(incoming).catch(() => Promise.reject(interrupted));
      if (this.failure) throw this.failure;
      if (done) return;
      this.arrivedBytes += value.length;
      this.hash.update(value);
      yield value;
    }
  }

  /** Limits the time of the client only, not that of the storage. */
  private async next(incoming: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    const rate = {
      graceMillis: this.stallMillis,
      leastBytesPerSecond: LEAST_BYTES_PER_SECOND,
      totalMillis: Infinity,
    };
    const leftMillis = allowedMillis(this.arrivedBytes, rate) - this.waitedMillis;
    const startedAt = performance.now();
    const timer = setTimeout(() => this.request.destroy(), Math.min(this.stallMillis, leftMillis));
    try {
      return await incoming.next();
    } finally {
      clearTimeout(timer);
      this.waitedMillis += performance.now() - startedAt;
    }
  }
}

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

const LENGTH = /^\d{1,15}$/;

/**
 * The bytes of an upload by its headers. Throws an HttpException with status 400, 411, 413 or 415 unless it is a file of 1 to
 * `maxBytes` bytes.
 */
function readUploadSize(headers: IncomingHttpHeaders, maxBytes: number): number {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers;
  if (type !== undefined && !/^application\/octet-stream\s*(;|$)/i.test(type))
    throw new HttpException('the content type must be application/octet-stream', 415);
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new HttpException('the content encoding is not supported', 415);
  if (length === undefined || !LENGTH.test(length))
    throw new HttpException('the length of the package must be given as Content-Length', 411);
  const sizeBytes = Number(length);
  if (sizeBytes > maxBytes) throw new HttpException(`a package may have at most ${maxBytes} bytes`, 413);
  if (sizeBytes === 0) throw new BadRequestException('the package is empty');
  return sizeBytes;
}

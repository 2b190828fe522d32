import { createHash } from 'node:crypto';
import { ConflictException, Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '@inference/database';
import { BackgroundJobs } from '@inference/jobs';
import { type ObjectStorage, PartsLostError } from '@inference/storage';
import { UploadCompletionService } from '../upload-completion.service';
import { partedFileOf } from './package-uploads.service';
import { type UploadFailureCode } from './resumable-upload.entity';
import {
  claimCompletion,
  type ClaimedUpload,
  postponeCompletion,
  recordCompletion,
  recordFailure,
  releaseClaim,
  renewClaim,
} from './upload-completions.repository';
import { OBJECT_STORAGE } from '../../../storage/object-storage.provider';

/** The task of each upload (migration 0033). */
const COMPLETE_UPLOAD = 'complete-upload';
/** Chosen: reading two large files at a time leaves the storage to the downloads. */
const CONCURRENCY = 2;
/** A third of the claim: one lost renewal does no harm. */
const RENEW_MILLIS = 20_000;

/** Why an upload never becomes a package. */
class UploadFailedError extends Error {
  constructor(
    readonly code: UploadFailureCode,
    message: string,
  ) {
    super(message);
  }
}

/** Joins the parts of submitted uploads, checks the files and makes them packages. The replicas share the uploads by claims. */
@Injectable()
export class UploadCompletionJob {
  private readonly logger = new Logger(UploadCompletionJob.name);

  constructor(
    private readonly database: Database,
    @Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage,
    private readonly completion: UploadCompletionService,
    jobs: BackgroundJobs,
  ) {
    jobs.processRows({ [COMPLETE_UPLOAD]: (id, stop) => this.run(id, stop) }, CONCURRENCY);
  }

  private async run(id: string, stop: AbortSignal): Promise<void> {
    const upload = await claimCompletion(this.database, id);
    if (!upload) return;
    const lost = new AbortController();
    const renewal = setInterval(() => void this.renew(upload, lost), RENEW_MILLIS);
    try {
      await this.complete(upload, AbortSignal.any([stop, lost.signal]));
    } catch (error) {
      if (lost.signal.aborted) return;
      if (stop.aborted) await releaseClaim(this.database, upload);
      else await this.fail(upload, error);
    } finally {
      clearInterval(renewal);
    }
  }

  private async complete(upload: ClaimedUpload, signal: AbortSignal): Promise<void> {
    const { id, uploadedBy: accountId, submittedFrom, announcedSha256 } = upload;
    await this.storage.joinParts(partedFileOf(upload));
    const sha256 = await this.readDigest(upload, signal);
    if (announcedSha256 && !announcedSha256.equals(sha256))
      throw new UploadFailedError('digest_mismatch', 'the file does not have the announced digest');
    const origin = submittedFrom ?? { address: null, userAgent: null };
    const { isNew } = await this.completion.complete({ accountId, origin }, id, upload, sha256);
    await recordCompletion(this.database, upload);
    if (!isNew) await this.completion.discard(id);
  }

  /** Reads what is stored, and not what arrived: the digest is that of the file which customers get. */
  private async readDigest({ id, size }: ClaimedUpload, signal: AbortSignal): Promise<Buffer> {
    const hash = createHash('sha256');
    let readBytes = 0;
    for await (const chunk of await this.storage.read(id)) {
      signal.throwIfAborted();
      const bytes = chunk as Buffer;
      hash.update(bytes);
      readBytes += bytes.length;
    }
    if (BigInt(readBytes) !== size)
      throw new UploadFailedError('parts_lost', `the storage has ${readBytes} of ${size} bytes`);
    return hash.digest();
  }

  private async fail(upload: ClaimedUpload, error: unknown): Promise<void> {
    const failure = failureOf(error);
    if (!failure) {
      this.logger.warn(error);
      await postponeCompletion(this.database, upload);
      return;
    }
    this.logger.warn(`The upload ${upload.id} failed: ${failure.message}`);
    if (await recordFailure(this.database, upload, failure)) await this.completion.discard(upload.id);
  }

  /** The work continues while the database is unreachable, and ends if another process has claimed the upload. */
  private async renew(upload: ClaimedUpload, lost: AbortController): Promise<void> {
    try {
      if (!(await renewClaim(this.database, upload))) lost.abort();
    } catch (error) {
      this.logger.warn(error);
    }
  }
}

/** Undefined if another attempt may succeed. */
function failureOf(error: unknown): { code: UploadFailureCode; message: string } | undefined {
  if (error instanceof UploadFailedError) return error;
  if (error instanceof PartsLostError) return { code: 'parts_lost', message: 'the storage has lost a part' };
  if (error instanceof ConflictException) return { code: 'version_conflict', message: error.message };
  return undefined;
}

import { webcrypto } from 'node:crypto';
import { Database, newId } from '@inference/database';
import { type ObjectStorage, partBytesOf, type PartedFile, PartsLostError } from '@inference/storage';
import { instantText } from '@inference/time';
import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
  PayloadTooLargeException,
} from '@nestjs/common';
import { type Actor } from '../../../../accounts/audit-log/actor';
import { STORAGE_CONFIG, type StorageConfig } from '../../../catalogue.config';
import { OBJECT_STORAGE } from '../../../storage/object-storage.provider';
import { findVersion } from '../../model-packages/packages.repository';
import { createDraftModel } from '../../models.repository';
import { GIVEN_UP, resultForExisting, UploadCompletionService } from '../upload-completion.service';
import { defaultFileName } from '../uploads.dto';
import { abandonUpload, extendResumableUpload, openUpload } from '../uploads.repository';
import { type BeginUploadDto, type UploadResponse, type UploadState } from './package-uploads.dto';
import {
  deleteResumableUpload,
  findOwnUpload,
  insertResumableUpload,
  listUnfinishedUploads,
  markPartStored,
  reservePart,
  submitUpload,
  type UploadWithParts,
} from './resumable-uploads.repository';

/** Chosen: an admin works on a few models at a time. Each may have 10,000 numbers of parts. */
const MAX_LISTED = 20;
/** Bounds a message. */
const MAX_NAMED_PARTS = 20;

/** A part as a client sends it. */
export interface SentPart {
  number: number;
  content: Buffer;
  /** The digest that the content must have. */
  sha256: Buffer;
}

/** Uploads of packages in parts, which a client can resume. */
@Injectable()
export class PackageUploadsService {
  constructor(
    private readonly database: Database,
    @Inject(STORAGE_CONFIG) private readonly config: StorageConfig,
    @Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage,
    private readonly completion: UploadCompletionService,
  ) {}

  /**
   * Begins an upload. Throws PayloadTooLargeException, ConflictException if the version is stored already,
   * StorageUnavailableError.
   */
  async begin({ accountId }: Actor, wanted: BeginUploadDto): Promise<UploadResponse> {
    const {
      slug,
      version,
      file_name: fileName = defaultFileName(slug, version),
      size_bytes: sizeBytes,
    } = wanted;
    const { maxPackageBytes } = this.config;
    if (sizeBytes > maxPackageBytes)
      throw new PayloadTooLargeException(`size_bytes: a package may have at most ${maxPackageBytes} bytes`);
    const announcedSha256 = wanted.sha256 === undefined ? null : Buffer.from(wanted.sha256, 'hex');
    await this.requireFree(slug, version, announcedSha256);
    const id = newId('pkg');
    const opened = { id, slug, version, fileName, size: BigInt(sizeBytes), uploadedBy: accountId };
    await openUpload(this.database, opened);
    await createDraftModel(this.database, slug);
    try {
      const storageUploadId = await this.storage.beginParts(id);
      await this.database.transaction(async (transaction) => {
        await insertResumableUpload(transaction, {
          packageId: id,
          partBytes: BigInt(partBytesOf(sizeBytes)),
          storageUploadId,
          announcedSha256,
          fileModifiedAt: dateOf(wanted.file_modified_at),
        });
        await extendResumableUpload(transaction, id);
      });
    } catch (error) {
      await this.completion.discard(id);
      throw error;
    }
    return this.find(accountId, id);
  }

  /** The newest unfinished uploads of the account. */
  async list(accountId: string): Promise<UploadResponse[]> {
    return (await listUnfinishedUploads(this.database, accountId, MAX_LISTED)).map(uploadResponse);
  }

  /** Throws NotFoundException if the account has no such upload. */
  async find(accountId: string, id: string): Promise<UploadResponse> {
    return uploadResponse(await this.require(accountId, id));
  }

  /**
   * Stores a part durably. Throws NotFoundException if the account has no such upload, BadRequestException for a wrong
   * number, length or digest, ConflictException if the part has other content or the upload takes no parts any more,
   * StorageUnavailableError.
   */
  async storePart(accountId: string, id: string, { number, content, sha256 }: SentPart): Promise<void> {
    const upload = await this.require(accountId, id);
    requirePart(upload, number, content);
    const found = Buffer.from(await webcrypto.subtle.digest('SHA-256', content));
    if (!found.equals(sha256))
      throw new BadRequestException('the part does not have the digest that Content-Digest announces');
    if (stateOf(upload) !== 'uploading') throw new ConflictException('the upload takes no more parts');
    const part = await reservePart(this.database, { packageId: id, number, sha256 });
    if (!part) throw new ConflictException(GIVEN_UP);
    if (!part.sha256.equals(sha256))
      throw new ConflictException(`part ${number} was sent with other content: begin again`);
    if (!part.storedAt) await this.write(upload, number, content);
    await this.database.transaction(async (transaction) => {
      if (!part.storedAt) await markPartStored(transaction, id, number);
      if (!(await extendResumableUpload(transaction, id))) throw new ConflictException(GIVEN_UP);
    });
  }

  /**
   * Queues the completion; may be repeated. Throws NotFoundException if the account has no such upload, ConflictException if
   * parts are missing.
   */
  async submit({ accountId, origin }: Actor, id: string): Promise<UploadResponse> {
    const upload = await this.require(accountId, id);
    if (stateOf(upload) === 'uploading') {
      requireAllParts(upload);
      await this.database.transaction(async (transaction) => {
        await submitUpload(transaction, id, origin);
        await extendResumableUpload(transaction, id);
      });
    }
    return this.find(accountId, id);
  }

  /**
   * Removes an upload and its parts. Throws NotFoundException if the account has no such upload, ConflictException if it has
   * become a package.
   */
  async discard(accountId: string, id: string): Promise<void> {
    await this.require(accountId, id);
    if (!(await abandonUpload(this.database, id)))
      throw new ConflictException('the upload is complete: remove the package instead');
    await deleteResumableUpload(this.database, id);
    await this.completion.discard(id);
  }

  private async require(accountId: string, id: string): Promise<UploadWithParts> {
    const upload = await findOwnUpload(this.database, accountId, id);
    if (!upload) throw new NotFoundException('no such upload');
    return upload;
  }

  private async requireFree(slug: string, version: string, sha256: Buffer | null): Promise<void> {
    const existing = await findVersion(this.database, slug, version);
    if (!existing) return;
    resultForExisting(existing, sha256);
    throw new ConflictException('this version is stored already, with this content');
  }

  private async write(upload: UploadWithParts, number: number, content: Buffer): Promise<void> {
    try {
      await this.storage.writePart(partedFileOf(upload), number, content);
    } catch (error) {
      if (error instanceof PartsLostError) throw new ConflictException(GIVEN_UP, { cause: error });
      throw error;
    }
  }
}

/** How the storage knows an upload. */
export const partedFileOf = ({
  id,
  storageUploadId,
  size,
  partBytes,
}: Pick<UploadWithParts, 'id' | 'storageUploadId' | 'size' | 'partBytes'>): PartedFile => ({
  key: id,
  uploadId: storageUploadId,
  sizeBytes: Number(size),
  partBytes: Number(partBytes),
});

const dateOf = (micros: bigint | undefined): Date | null =>
  micros === undefined ? null : new Date(instantText(micros));

function requirePart(upload: UploadWithParts, number: number, { length }: Buffer): void {
  const parts = partsOf(upload);
  if (number > parts) throw new BadRequestException(`number: must be a whole number from 1 to ${parts}`);
  const expected = partBytesAt(upload, number);
  if (length !== expected)
    throw new BadRequestException(`part ${number} must have ${expected} bytes, and has ${length}`);
}

function requireAllParts(upload: UploadWithParts): void {
  const arrived = new Set(upload.arrivedParts);
  const missing = Array.from({ length: partsOf(upload) }, (_, index) => index + 1).filter(
    (number) => !arrived.has(number),
  );
  if (missing.length === 0) return;
  const named = missing.slice(0, MAX_NAMED_PARTS).join(', ');
  const rest = missing.length - MAX_NAMED_PARTS;
  throw new ConflictException(`parts are missing: ${named}${rest > 0 ? ` and ${rest} more` : ''}`);
}

type Measured = Pick<UploadWithParts, 'size' | 'partBytes'>;

/** The number of parts. */
const partsOf = ({ size, partBytes }: Measured): number => Math.ceil(Number(size) / Number(partBytes));

/** The bytes of a part. @param number from 1 to the number of parts */
const partBytesAt = ({ size, partBytes }: Measured, number: number): number =>
  Math.min(Number(partBytes), Number(size) - (number - 1) * Number(partBytes));

/** The package may be stored before the upload is recorded as complete. */
function stateOf({ completedAt, storedAt, failureCode, submittedAt }: UploadWithParts): UploadState {
  if (completedAt || storedAt) return 'complete';
  if (failureCode) return 'failed';
  return submittedAt ? 'completing' : 'uploading';
}

function uploadResponse(upload: UploadWithParts): UploadResponse {
  const { failureCode: code, failureMessage: message } = upload;
  const state = stateOf(upload);
  return {
    id: upload.id,
    slug: upload.slug,
    version: upload.version,
    file_name: upload.fileName,
    size_bytes: Number(upload.size),
    sha256: upload.announcedSha256?.toString('hex') ?? null,
    file_modified_at: upload.fileModifiedAt?.toISOString() ?? null,
    part_bytes: Number(upload.partBytes),
    parts: partsOf(upload),
    arrived_parts: upload.arrivedParts,
    state,
    error: code === null || message === null ? null : { code, message },
    created_at: upload.createdAt.toISOString(),
    expires_at: state === 'complete' ? null : (upload.uploadingUntil?.toISOString() ?? null),
  };
}

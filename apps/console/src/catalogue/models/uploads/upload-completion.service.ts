import { Database } from '@inference/database';
import { type ObjectStorage } from '@inference/storage';
import { ConflictException, Inject, Injectable, Logger } from '@nestjs/common';
import { type Actor } from '../../../accounts/audit-log/actor';
import { recordActorEvent } from '../../../accounts/audit-log/audit-log';
import { OBJECT_STORAGE } from '../../storage/object-storage.provider';
import { packageResponse, type PackageResponse } from '../model-packages/packages.dto';
import { findVersion, type PackageWithModel } from '../model-packages/packages.repository';
import { abandonUpload, completeUpload, lockVersion } from './uploads.repository';

export const GIVEN_UP = 'the upload was given up: begin again';

export interface Received {
  /** False if the same content was stored before. The caller then discards the upload. */
  isNew: boolean;
  package: PackageResponse;
}

/** Makes uploads whose files are stored into packages. */
@Injectable()
export class UploadCompletionService {
  private readonly logger = new Logger(UploadCompletionService.name);

  constructor(
    private readonly database: Database,
    @Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage,
  ) {}

  /**
   * Makes the upload the package of its version. Two uploads of one version may both get here: the content of the first one
   * stays. Throws ConflictException if the version has other content, or if the upload was given up.
   */
  async complete(
    admin: Pick<Actor, 'accountId' | 'origin'>,
    id: string,
    { slug, version }: { slug: string; version: string },
    sha256: Buffer,
  ): Promise<Received> {
    return this.database.transaction(async (transaction): Promise<Received> => {
      await lockVersion(transaction, slug, version);
      const existing = await findVersion(transaction, slug, version);
      if (existing) return resultForExisting(existing, sha256);
      const completed = await completeUpload(transaction, id, sha256);
      if (!completed) throw new ConflictException(GIVEN_UP);
      await recordActorEvent(transaction, admin, 'admin.package_uploaded', {
        slug,
        version,
        sha256: sha256.toString('hex'),
      });
      return { isNew: true, package: packageResponse(completed) };
    });
  }

  /**
   * Gives the upload up and removes its file, unless it is complete. The cleanup job repeats this, in case the storage was
   * still writing or cannot remove the file now.
   */
  async discard(id: string): Promise<void> {
    try {
      if (await abandonUpload(this.database, id)) await this.storage.remove(id);
    } catch (error) {
      this.logger.warn(error);
    }
  }
}

/** A client that did not get the first response sends the same content again: that succeeds. */
export function resultForExisting(existing: PackageWithModel, sha256: Buffer | null): Received {
  if (existing.removedAt) throw new ConflictException('this version was published and removed');
  if (!sha256)
    throw new ConflictException('this version is stored already; send Content-Digest to repeat its upload');
  if (!existing.sha256?.equals(sha256))
    throw new ConflictException('this version has other content, and a package never changes');
  return { isNew: false, package: packageResponse(existing) };
}

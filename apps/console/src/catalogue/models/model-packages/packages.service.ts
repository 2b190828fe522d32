import { Database, type Transaction } from '@inference/database';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { type Actor } from '../../../accounts/audit-log/actor';
import { recordActorEvent } from '../../../accounts/audit-log/audit-log';
import { isPublishedPackage } from '../models.repository';
import { packageResponse, type PackageResponse } from './packages.dto';
import { listPackages, lockPackage, markPublished, removePackage } from './packages.repository';

/** The packages of models, as admins manage them. */
@Injectable()
export class PackagesService {
  constructor(private readonly database: Database) {}

  /** The newest 1,000 packages of a model. */
  async list(slug: string): Promise<PackageResponse[]> {
    return (await listPackages(this.database, slug)).map(packageResponse);
  }

  /**
   * Marks a package as published, as part of the caller's transaction, and returns its id. Throws ConflictException if
   * no package of this version is stored.
   */
  async publish(transaction: Transaction, slug: string, version: string): Promise<string> {
    const found = await lockPackage(transaction, slug, version);
    if (!found) throw new ConflictException(`version: no package ${version} of this model is stored`);
    await markPublished(transaction, found.id);
    return found.id;
  }

  /**
   * Removes a package. Its file is deleted when the last link to it has expired. Throws NotFoundException if it is not
   * stored, ConflictException if it is the published one.
   */
  async remove(admin: Actor, slug: string, version: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const found = await lockPackage(transaction, slug, version);
      if (!found) throw new NotFoundException('no such package');
      if (await isPublishedPackage(transaction, slug, found.id))
        throw new ConflictException('this package is published: publish another one, or none, first');
      await removePackage(transaction, found.id);
      await recordActorEvent(transaction, admin, 'admin.package_removed', { slug, version });
    });
  }
}

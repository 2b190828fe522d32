import { type Executor, readNewestFirst, type Transaction } from '@inference/database';
import { type Position } from '@inference/http';
import { In, IsNull, Not, Raw, type SelectQueryBuilder } from 'typeorm';
import { Model, Package } from '../model.entity';

/** Bounds the response: an admin sees the newest packages of a model. */
const MAX_LISTED = 1_000;

/** A package and the model that publishes it, null if none does. */
export type PackageWithModel = Package & { model: Model | null };
export type PublishedPackage = Package & { sha256: Buffer; publishedAt: Date; model: Model };

const packagesWithModels = (executor: Executor) =>
  executor
    .repository(Package)
    .createQueryBuilder('package')
    .leftJoinAndMapOne(
      'package.model',
      Model,
      'model',
      'model.packageId = package.id',
    ) as SelectQueryBuilder<PackageWithModel>;

/** The newest packages of a model, stored or being uploaded. */
export function listPackages(executor: Executor, slug: string): Promise<PackageWithModel[]> {
  return packagesWithModels(executor)
    .where({ slug, removedAt: IsNull() })
    .orderBy('package.createdAt', 'DESC')
    .addOrderBy('package.id', 'DESC')
    .limit(MAX_LISTED)
    .getMany();
}

/** A published package always has a time of publication; with the condition the list can use its index. */
const publishedPackages = (executor: Executor) =>
  packagesWithModels(executor).where(
    'package.publishedAt IS NOT NULL AND model.slug IS NOT NULL',
  ) as SelectQueryBuilder<PublishedPackage>;

/** The published packages with their models in the order of publication, newest first. */
export function listPublishedPackages(
  executor: Executor,
  after: Position | null,
  count: number,
): Promise<(PublishedPackage & { position: Position })[]> {
  return readNewestFirst(publishedPackages(executor), 'publishedAt', after, count);
}

/** The slugs of all models with a published package. */
export async function listPublishedSlugs(executor: Executor): Promise<string[]> {
  const models = await executor
    .repository(Model)
    .find({ select: { slug: true }, where: { packageId: Not(IsNull()) } });
  return models.map(({ slug }) => slug);
}

/** The published package of a model, null if there is none. */
export function findPublishedPackage(executor: Executor, slug: string): Promise<PublishedPackage | null> {
  return publishedPackages(executor).andWhere('model.slug = :slug', { slug }).getOne();
}

/**
 * A package that customers may download: the published one of the model, or the given version of a published model if
 * it was published once and is not removed.
 */
export function findDownloadablePackage(
  executor: Executor,
  slug: string,
  version: string | null,
): Promise<Pick<Package, 'id' | 'fileName'> | null> {
  const downloadable = executor
    .repository(Package)
    .createQueryBuilder('package')
    .select(['package.id', 'package.fileName'])
    .innerJoin(Model, 'model', 'model.slug = package.slug AND model.packageId IS NOT NULL')
    .where({ slug, publishedAt: Not(IsNull()), removedAt: IsNull() });
  if (version === null) downloadable.andWhere('package.id = model.packageId');
  else downloadable.andWhere({ version });
  return downloadable.getOne();
}

/** The package that occupies a version. A version that was published once stays reserved, even if its package is removed. */
export function findVersion(
  executor: Executor,
  slug: string,
  version: string,
): Promise<PackageWithModel | null> {
  return packagesWithModels(executor)
    .where({ slug, version, storedAt: Not(IsNull()) })
    .andWhere('(package.removedAt IS NULL OR package.publishedAt IS NOT NULL)')
    .getOne();
}

/**
 * Locks a stored package until the transaction ends; null if there is none. Publication and removal lock it first, so a
 * published package is never removed.
 */
export function lockPackage(
  transaction: Transaction,
  slug: string,
  version: string,
): Promise<Pick<Package, 'id'> | null> {
  return transaction.repository(Package).findOne({
    select: { id: true },
    where: { slug, version, storedAt: Not(IsNull()), removedAt: IsNull() },
    lock: { mode: 'pessimistic_write' },
  });
}

/** Records the time of the first publication. */
export async function markPublished(transaction: Transaction, id: string): Promise<void> {
  await transaction
    .repository(Package)
    .update({ id, publishedAt: IsNull() }, { publishedAt: () => 'clock_timestamp()' });
}

/** Marks it as removed; the cleanup job deletes the file when no link to it is valid any more. */
export async function removePackage(transaction: Transaction, id: string): Promise<void> {
  await transaction.repository(Package).update({ id }, { removedAt: () => 'clock_timestamp()' });
}

/** The ids of packages that were removed more than `linkTtlSeconds` ago, so that no link to them is valid. */
export async function listPurgeable(
  executor: Executor,
  { linkTtlSeconds, except, limit }: { linkTtlSeconds: number; except: string[]; limit: number },
): Promise<string[]> {
  const expired = Raw((column) => `${column} < now() - make_interval(secs => :linkTtlSeconds)`, {
    linkTtlSeconds,
  });
  const found = await executor.repository(Package).find({
    select: { id: true },
    where: { purgedAt: IsNull(), removedAt: expired, id: Not(In(except)) },
    order: { removedAt: 'ASC' },
    take: limit,
  });
  return found.map(({ id }) => id);
}

export async function markPurged(executor: Executor, id: string): Promise<void> {
  await executor.repository(Package).update({ id }, { purgedAt: () => 'clock_timestamp()' });
}

/** Deletes the package unless it was published: without statistics it need not reserve its version. */
export async function deleteUnpublished(executor: Executor, id: string): Promise<void> {
  await executor.repository(Package).delete({ id, publishedAt: IsNull() });
}

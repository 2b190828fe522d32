import { type Executor, newId, type Transaction } from '@inference/database';
import { type Position } from '@inference/http';
import { IsNull, MoreThan, Not } from 'typeorm';
import { Model, type Package } from './model.entity';

/** What an admin writes about a model. */
export type ModelDescription = Pick<
  Model,
  'slug' | 'name' | 'description' | 'family' | 'parameters' | 'quantization' | 'format' | 'license'
>;

/** A model and the version of its published package, null if none is published. */
export type ModelWithVersion = ModelDescription &
  Pick<Model, 'changedAt'> & { version: Package['version'] | null };

/** The version is looked up for the rows of the page only; a join would read all packages. */
const WITH_VERSION = `
  m.slug, m.name, m.description, m.family, m.parameters, m.quantization, m.format, m.license,
  m.changed_at AS "changedAt", (SELECT p.version FROM catalogue.packages p WHERE p.id = m.package_id) AS version`;
const FIND = `SELECT ${WITH_VERSION} FROM catalogue.models m WHERE m.slug = $1`;
const LIST = `
  SELECT ${WITH_VERSION}, m.id, to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM catalogue.models m
  WHERE $1::timestamptz IS NULL OR (m.created_at, m.id) < ($1, $2)
  ORDER BY m.created_at DESC, m.id DESC LIMIT $3`;

/** All models, newest first. */
export async function listModels(
  executor: Executor,
  after: Position | null,
  count: number,
): Promise<(ModelWithVersion & { position: Position })[]> {
  const parameters = [after?.at ?? null, after?.id ?? null, count];
  const { rows } = await executor.query<ModelWithVersion & Position>(LIST, parameters);
  return rows.map(({ at, id, ...model }) => ({ ...model, position: { at, id } }));
}

export async function findModel(executor: Executor, slug: string): Promise<ModelWithVersion | undefined> {
  return (await executor.query<ModelWithVersion>(FIND, [slug])).rows[0];
}

export function modelExists(executor: Executor, slug: string): Promise<boolean> {
  return executor.repository(Model).existsBy({ slug });
}

/** The published models whose slugs sort after `afterSlug`, in the order of their slugs. */
export function listPublishedSlugs(
  executor: Executor,
  afterSlug: string,
  limit: number,
): Promise<Pick<Model, 'slug' | 'changedAt'>[]> {
  return executor
    .repository(Model)
    .createQueryBuilder('model')
    .select('model.slug', 'slug')
    .addSelect('model.changedAt', 'changedAt')
    .where({ packageId: Not(IsNull()), slug: MoreThan(afterSlug) })
    .orderBy('model.slug')
    .limit(limit)
    .getRawMany<Pick<Model, 'slug' | 'changedAt'>>();
}

const DESCRIPTION_COLUMNS = [
  'name',
  'description',
  'family',
  'parameters',
  'quantization',
  'format',
  'license',
];

/**
 * Creates the model or replaces its description, and returns whether it is new.
 * @param packageId the package to publish, null for none; undefined leaves it as it is
 */
export async function storeModel(
  transaction: Transaction,
  description: ModelDescription,
  packageId: string | null | undefined,
): Promise<boolean> {
  const replaced = [...DESCRIPTION_COLUMNS, 'changed_at', ...(packageId === undefined ? [] : ['package_id'])];
  const { raw } = await transaction
    .repository(Model)
    .createQueryBuilder()
    .insert()
    .values({ id: newId('mdl'), ...description, packageId: packageId ?? null })
    .orUpdate(replaced, ['slug'])
    .returning('xmax = 0 AS created')
    .execute();
  return (raw as [{ created: boolean }])[0].created;
}

/** Creates the model as a draft if its slug is new. */
export async function createDraftModel(executor: Executor, slug: string): Promise<void> {
  // The trigger records a change even if nothing is inserted.
  if (await modelExists(executor, slug)) return;
  await executor
    .repository(Model)
    .createQueryBuilder()
    .insert()
    .values({ id: newId('mdl'), slug, name: slug, description: '' })
    .orIgnore()
    .updateEntity(false)
    .execute();
}

/** Removed packages do not keep a model; their versions stay reserved if they were published. */
const DELETE_WITHOUT_PACKAGES = `
  DELETE FROM catalogue.models m WHERE m.slug = $1
    AND NOT EXISTS (SELECT FROM catalogue.packages p WHERE p.slug = m.slug AND p.removed_at IS NULL)`;

/** Returns false if the model has packages. */
export async function deleteModelWithoutPackages(transaction: Transaction, slug: string): Promise<boolean> {
  return (await transaction.query(DELETE_WITHOUT_PACKAGES, [slug])).rowCount !== 0;
}

export function isPublishedPackage(executor: Executor, slug: string, packageId: string): Promise<boolean> {
  return executor.repository(Model).existsBy({ slug, packageId });
}

/** The part of a response that describes the model, in the order of its fields. */
export function modelDescription(model: ModelDescription): ModelDescription {
  const { slug, name, description, family, parameters, quantization, format, license } = model;
  return { slug, name, description, family, parameters, quantization, format, license };
}

import { ConflictException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { inTransaction, newId, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { type Actor } from '../events/actor';
import { recordAct } from '../events/security-events';
import { type AdminModelView, type ModelBody, type PackageView } from './models.dto';
import { type PackageRow, packageView, PACKAGE_COLUMNS } from './package';

const COLUMNS = `
  m.slug, m.name, m.description, m.family, m.parameters, m.quantization, m.format, m.license, m.changed_at,
  (SELECT p.version FROM catalogue.packages p WHERE p.id = m.package_id) AS version`;
const FIND = `SELECT ${COLUMNS} FROM catalogue.models m WHERE m.slug = $1`;
const LIST = `
  SELECT ${COLUMNS}, m.id, to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM catalogue.models m
  WHERE $1::timestamptz IS NULL OR (m.created_at, m.id) < ($1, $2)
  ORDER BY m.created_at DESC, m.id DESC LIMIT $3`;
const PACKAGES = `
  SELECT ${PACKAGE_COLUMNS} FROM catalogue.packages p
  WHERE p.slug = $1 AND p.removed_at IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 1000`;
const IS_PUBLISHED = 'SELECT FROM catalogue.models WHERE slug = $1 AND package_id = $2';
/** Locked first by whoever publishes or removes it, so that nothing published is ever removed. */
const LOCK_PACKAGE = `
  SELECT ${PACKAGE_COLUMNS} FROM catalogue.packages p
  WHERE p.slug = $1 AND p.version = $2 AND p.stored_at IS NOT NULL AND p.removed_at IS NULL FOR UPDATE`;
const NOTE_PUBLICATION = `
  UPDATE catalogue.packages SET published_at = clock_timestamp() WHERE id = $1 AND published_at IS NULL`;
/** Versions that were published stay taken without it. */
const REMOVE_MODEL = `
  DELETE FROM catalogue.models m WHERE m.slug = $1
    AND NOT EXISTS (SELECT FROM catalogue.packages p WHERE p.slug = m.slug AND p.removed_at IS NULL)`;
const REMOVE = 'UPDATE catalogue.packages SET removed_at = clock_timestamp() WHERE id = $1';
/** Which package is published stays as it is unless $9 says that it changes. */
const STORE = `
  INSERT INTO catalogue.models AS m
    (id, slug, name, description, family, parameters, quantization, format, license, package_id)
  VALUES ($11, $1, $2, $3, $4, $5, $6, $7, $8, $10)
  ON CONFLICT (slug) DO UPDATE SET name = excluded.name, description = excluded.description,
    family = excluded.family, parameters = excluded.parameters, quantization = excluded.quantization,
    format = excluded.format, license = excluded.license, changed_at = clock_timestamp(),
    package_id = CASE WHEN $9 THEN excluded.package_id ELSE m.package_id END
  RETURNING (xmax = 0) AS created`;

interface ModelRow extends Omit<AdminModelView, 'changed_at'> {
  changed_at: Date;
}

@Injectable()
export class AdminModelsService {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /** `{models, next_cursor}`: all of them, published or not, the newest first. */
  async list(query: PageQuery): Promise<{ models: AdminModelView[]; next_cursor: string | null }> {
    const { rows, nextCursor } = await readPage('admin models', query, async (after, count) => {
      const page = [after?.at ?? null, after?.id ?? null, count];
      const found = await this.pool.query<ModelRow & { at: string; id: string }>(LIST, page);
      return found.rows.map(({ at, id, ...row }) => ({ row, position: { at, id } }));
    });
    return { models: rows.map(({ row }) => modelView(row)), next_cursor: nextCursor };
  }

  /** With its newest 1,000 packages. Throws NotFoundException for a slug that no admin has used. */
  async find(slug: string): Promise<AdminModelView & { packages: PackageView[] }> {
    const [models, packages] = await Promise.all([
      this.pool.query<ModelRow>(FIND, [slug]),
      this.pool.query<PackageRow>(PACKAGES, [slug]),
    ]);
    const model = models.rows[0];
    if (!model) throw new NotFoundException('no such model');
    return { ...modelView(model), packages: packages.rows.map((row) => packageView(row)) };
  }

  /**
   * Describes the model, and publishes one of its packages, or none, in the same moment. True when the slug is new;
   * throws ConflictException when no such package is stored.
   */
  async store(admin: Actor, slug: string, body: ModelBody): Promise<boolean> {
    return inTransaction(this.pool, async (sql) => {
      const packageId = typeof body.version === 'string' ? await publish(sql, slug, body.version) : null;
      const { rows } = await sql.query<{ created: boolean }>(STORE, [
        slug,
        body.name,
        body.description,
        body.family ?? null,
        body.parameters ?? null,
        body.quantization ?? null,
        body.format ?? null,
        body.license ?? null,
        body.version !== undefined,
        packageId,
        newId('mdl'),
      ]);
      await recordAct(sql, admin, 'admin.model_changed', {
        slug,
        ...(body.version === undefined ? {} : { version: body.version }),
      });
      return rows[0]!.created;
    });
  }

  /** Throws NotFoundException for a slug that no admin has used, ConflictException for a model that has packages. */
  async remove(admin: Actor, slug: string): Promise<void> {
    await inTransaction(this.pool, async (sql) => {
      if ((await sql.query(FIND, [slug])).rowCount === 0) throw new NotFoundException('no such model');
      if ((await sql.query(REMOVE_MODEL, [slug])).rowCount === 0)
        throw new ConflictException('this model has packages: remove them first');
      await recordAct(sql, admin, 'admin.model_changed', { slug, removed: true });
    });
  }

  /**
   * The file is deleted when the last link to it has expired. Throws NotFoundException for what is not stored,
   * ConflictException for what is published.
   */
  async removePackage(admin: Actor, slug: string, version: string): Promise<void> {
    await inTransaction(this.pool, async (sql) => {
      const { id } = await lockPackage(sql, slug, version);
      if ((await sql.query(IS_PUBLISHED, [slug, id])).rowCount !== 0)
        throw new ConflictException('this package is published: publish another one, or none, first');
      await sql.query(REMOVE, [id]);
      await recordAct(sql, admin, 'admin.package_removed', { slug, version });
    });
  }
}

async function lockPackage(sql: Sql, slug: string, version: string): Promise<PackageRow> {
  const { rows } = await sql.query<PackageRow>(LOCK_PACKAGE, [slug, version]);
  if (!rows[0]) throw new NotFoundException('no such package');
  return rows[0];
}

async function publish(sql: Sql, slug: string, version: string): Promise<string> {
  const { rows } = await sql.query<PackageRow>(LOCK_PACKAGE, [slug, version]);
  if (!rows[0]) throw new ConflictException(`version: no package ${version} of this model is stored`);
  await sql.query(NOTE_PUBLICATION, [rows[0].id]);
  return rows[0].id;
}

const modelView = ({ changed_at: changedAt, ...row }: ModelRow): AdminModelView => ({
  ...row,
  changed_at: changedAt.toISOString(),
});

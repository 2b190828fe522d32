import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Database, newId } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { type Actor } from '../../identity/audit-log/actor';
import { recordActorEvent } from '../../identity/audit-log/audit-log';
import {
  type AdminModelListResponse,
  type AdminModelResponse,
  type AdminModelWithPackagesResponse,
  type PutModelDto,
} from './models.dto';
import { PackagesService } from './model-packages/packages.service';

const COLUMNS = `
  m.slug, m.name, m.description, m.family, m.parameters, m.quantization, m.format, m.license, m.changed_at,
  (SELECT p.version FROM catalogue.packages p WHERE p.id = m.package_id) AS version`;
const FIND = `SELECT ${COLUMNS} FROM catalogue.models m WHERE m.slug = $1`;
const LIST = `
  SELECT ${COLUMNS}, m.id, to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM catalogue.models m
  WHERE $1::timestamptz IS NULL OR (m.created_at, m.id) < ($1, $2)
  ORDER BY m.created_at DESC, m.id DESC LIMIT $3`;
/** Removed packages do not keep a model; their versions stay reserved if they were published. */
const REMOVE_MODEL = `
  DELETE FROM catalogue.models m WHERE m.slug = $1
    AND NOT EXISTS (SELECT FROM catalogue.packages p WHERE p.slug = m.slug AND p.removed_at IS NULL)`;
/** Changes the published package only if $9 is true. */
const STORE = `
  INSERT INTO catalogue.models AS m
    (id, slug, name, description, family, parameters, quantization, format, license, package_id)
  VALUES ($11, $1, $2, $3, $4, $5, $6, $7, $8, $10)
  ON CONFLICT (slug) DO UPDATE SET name = excluded.name, description = excluded.description,
    family = excluded.family, parameters = excluded.parameters, quantization = excluded.quantization,
    format = excluded.format, license = excluded.license, changed_at = clock_timestamp(),
    package_id = CASE WHEN $9 THEN excluded.package_id ELSE m.package_id END
  RETURNING (xmax = 0) AS created`;

interface ModelRow extends Omit<AdminModelResponse, 'changed_at'> {
  changed_at: Date;
}

/** The models, as admins manage them. */
@Injectable()
export class AdminModelsService {
  constructor(
    private readonly database: Database,
    private readonly packages: PackagesService,
  ) {}

  /** All models, published or not, newest first. */
  async list(query: PageQuery): Promise<AdminModelListResponse> {
    const { rows, nextCursor } = await readPage('admin models', query, async (after, count) => {
      const page = [after?.at ?? null, after?.id ?? null, count];
      const found = await this.database.query<ModelRow & { at: string; id: string }>(LIST, page);
      return found.rows.map(({ at, id, ...row }) => ({ row, position: { at, id } }));
    });
    return { models: rows.map(({ row }) => modelResponse(row)), next_cursor: nextCursor };
  }

  /** One model with its newest 1,000 packages. Throws NotFoundException for an unknown slug. */
  async find(slug: string): Promise<AdminModelWithPackagesResponse> {
    const [models, packages] = await Promise.all([
      this.database.query<ModelRow>(FIND, [slug]),
      this.packages.list(slug),
    ]);
    const model = models.rows[0];
    if (!model) throw new NotFoundException('no such model');
    return { ...modelResponse(model), packages };
  }

  /**
   * Stores the model's description and, if the input has a version, publishes that package in the same transaction (null
   * publishes none). Returns true if the slug is new. Throws ConflictException if no such package is stored.
   */
  async store(admin: Actor, slug: string, input: PutModelDto): Promise<boolean> {
    return this.database.transaction(async (sql) => {
      const packageId =
        typeof input.version === 'string' ? await this.packages.publish(sql, slug, input.version) : null;
      const { rows } = await sql.query<{ created: boolean }>(STORE, [
        slug,
        input.name,
        input.description,
        input.family ?? null,
        input.parameters ?? null,
        input.quantization ?? null,
        input.format ?? null,
        input.license ?? null,
        input.version !== undefined,
        packageId,
        newId('mdl'),
      ]);
      await recordActorEvent(sql, admin, 'admin.model_changed', {
        slug,
        ...(input.version === undefined ? {} : { version: input.version }),
      });
      return rows[0]!.created;
    });
  }

  /** Throws NotFoundException for an unknown slug, ConflictException if the model has packages. */
  async remove(admin: Actor, slug: string): Promise<void> {
    await this.database.transaction(async (sql) => {
      if ((await sql.query(FIND, [slug])).rowCount === 0) throw new NotFoundException('no such model');
      if ((await sql.query(REMOVE_MODEL, [slug])).rowCount === 0)
        throw new ConflictException('this model has packages: remove them first');
      await recordActorEvent(sql, admin, 'admin.model_changed', { slug, removed: true });
    });
  }
}

const modelResponse = ({ changed_at: changedAt, ...row }: ModelRow): AdminModelResponse => ({
  ...row,
  changed_at: changedAt.toISOString(),
});

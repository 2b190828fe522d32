import { Database } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { PackagesService } from './model-packages/packages.service';
import {
  type AdminModelListResponse,
  type AdminModelResponse,
  type AdminModelWithPackagesResponse,
  type PutModelDto,
} from './models.dto';
import {
  deleteModelWithoutPackages,
  findModel,
  listModels,
  modelDescription,
  modelExists,
  type ModelWithVersion,
  storeModel,
} from './models.repository';

/** The models, as admins manage them. */
@Injectable()
export class AdminModelsService {
  constructor(
    private readonly database: Database,
    private readonly packages: PackagesService,
  ) {}

  /** All models, published or not, newest first. */
  async list(query: PageQuery): Promise<AdminModelListResponse> {
    const { rows, nextCursor } = await readPage('admin models', query, (after, count) =>
      listModels(this.database, after, count),
    );
    return { models: rows.map(responseOf), next_cursor: nextCursor };
  }

  /** One model with its newest 1,000 packages. Throws NotFoundException for an unknown slug. */
  async find(slug: string): Promise<AdminModelWithPackagesResponse> {
    const [model, packages] = await Promise.all([findModel(this.database, slug), this.packages.list(slug)]);
    if (!model) throw new NotFoundException('no such model');
    return { ...responseOf(model), packages };
  }

  /**
   * Stores the model's description and, if the input has a version, publishes that package in the same transaction (null
   * publishes none). Returns true if the slug is new. Throws ConflictException if no such package is stored.
   */
  async store(admin: Actor, slug: string, input: PutModelDto): Promise<boolean> {
    const { version } = input;
    const description = {
      slug,
      name: input.name,
      description: input.description,
      family: input.family ?? null,
      parameters: input.parameters ?? null,
      quantization: input.quantization ?? null,
      format: input.format ?? null,
      license: input.license ?? null,
    };
    return this.database.transaction(async (transaction) => {
      const packageId =
        typeof version === 'string' ? await this.packages.publish(transaction, slug, version) : version;
      const isNew = await storeModel(transaction, description, packageId);
      const details = { slug, ...(version === undefined ? {} : { version }) };
      await recordActorEvent(transaction, admin, 'admin.model_changed', details);
      return isNew;
    });
  }

  /** Throws NotFoundException for an unknown slug, ConflictException if the model has packages. */
  async remove(admin: Actor, slug: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await modelExists(transaction, slug))) throw new NotFoundException('no such model');
      if (!(await deleteModelWithoutPackages(transaction, slug)))
        throw new ConflictException('this model has packages: remove them first');
      await recordActorEvent(transaction, admin, 'admin.model_changed', { slug, removed: true });
    });
  }
}

const responseOf = (model: ModelWithVersion): AdminModelResponse => ({
  ...modelDescription(model),
  version: model.version,
  changed_at: model.changedAt.toISOString(),
});

import { Database, newId } from '@inference/database';
import {
  EVERY_MODEL,
  lockDirectory,
  type ServedModel,
  UPSTREAM_PROTOCOLS,
  type UpstreamProtocol,
} from '@inference/serving';
import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { changing } from './changing';
import {
  type ChangeServedModelDto,
  type ModelFiguresResponse,
  type NewServedModelDto,
  type ServedModelResponse,
} from './served-models.dto';
import { type ChangeQuery, type VersionQuery } from './serving.dto';
import {
  deleteServedModel,
  insertServedModel,
  readReports,
  readServedModels,
  readUpstreams,
  updateServedModel,
  type UpstreamParts,
} from './serving.repository';
import { modelFigures } from './upstream-health';

/** What is known of models beside their prices. */
@Injectable()
export class ServedModelsService {
  constructor(private readonly database: Database) {}

  async list(): Promise<ServedModelResponse[]> {
    const [models, upstreams] = [await readServedModels(this.database), await readUpstreams(this.database)];
    return models.map((model) => modelView(model, upstreams));
  }

  /** What the gateways see of models, also of those of which nothing is stored. */
  async figures(): Promise<ModelFiguresResponse[]> {
    return modelFigures(
      await readServedModels(this.database),
      await readUpstreams(this.database),
      await readReports(this.database),
    );
  }

  create(
    admin: Actor,
    { slug, ...fields }: NewServedModelDto,
    query: ChangeQuery,
  ): Promise<ServedModelResponse> {
    return changing(this.database, query, async (transaction) => {
      await lockDirectory(transaction);
      const before = await readServedModels(transaction);
      if (before.some((model) => model.slug === slug))
        throw new ConflictException(`slug: ${slug} is stored already`);
      const id = newId('mod');
      await insertServedModel(transaction, { id, slug, ...columnsOf(fields) });
      return this.changed(transaction, admin, id, 'created');
    });
  }

  change(
    admin: Actor,
    id: string,
    fields: ChangeServedModelDto,
    query: ChangeQuery,
  ): Promise<ServedModelResponse> {
    return changing(this.database, query, async (transaction) => {
      await lockDirectory(transaction);
      const before = (await readServedModels(transaction)).find((model) => model.id === id);
      if (!before) throw new NotFoundException('no such model');
      requireVersion(before.version, query);
      await updateServedModel(transaction, id, columnsOf(fields));
      return this.changed(transaction, admin, id, 'changed');
    });
  }

  async delete(admin: Actor, id: string, query: VersionQuery): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockDirectory(transaction);
      const model = (await readServedModels(transaction)).find((each) => each.id === id);
      if (!model) throw new NotFoundException('no such model');
      requireVersion(model.version, query);
      await deleteServedModel(transaction, id);
      const details = { slug: model.slug, change: 'deleted' };
      await recordActorEvent(transaction, admin, 'admin.served_model_changed', details);
    });
  }

  /** Throws 400 or 409 if the stored models do not fit together. */
  private async changed(
    transaction: Parameters<typeof lockDirectory>[0],
    admin: Actor,
    id: string,
    change: string,
  ): Promise<ServedModelResponse> {
    const models = await readServedModels(transaction);
    const model = models.find((each) => each.id === id)!;
    requireSound(model, models);
    await recordActorEvent(transaction, admin, 'admin.served_model_changed', { slug: model.slug, change });
    return modelView(model, await readUpstreams(transaction));
  }
}

export function requireVersion(current: number, { version }: VersionQuery): void {
  if (version !== undefined && version !== current)
    throw new ConflictException(`version: ${current} was stored meanwhile; compare with it and try again`);
}

function requireSound(model: ServedModel, all: readonly ServedModel[]): void {
  const { slug, aliases, fallbacks, state, successor } = model;
  const refuse = (text: string): never => {
    throw new BadRequestException(text);
  };
  if (
    slug === EVERY_MODEL &&
    (aliases.length > 0 || fallbacks.length > 0 || state !== 'offered' || successor !== null)
  )
    refuse(`slug: ${EVERY_MODEL} holds limits and modalities only`);
  if (new Set(aliases).size < aliases.length) refuse('aliases: must name each once');
  if (new Set(fallbacks).size < fallbacks.length) refuse('fallbacks: must name each once');
  if (fallbacks.includes(slug)) refuse('fallbacks: must not name the model itself');
  if (successor === slug) refuse('successor: must not be the model itself');
  if (successor !== null && state !== 'retired') refuse('successor: belongs to a retired model');
  for (const other of all) {
    const own = other.id === model.id;
    const taken = aliases.find((alias) => alias === other.slug || (!own && other.aliases.includes(alias)));
    if (taken !== undefined) throw new ConflictException(`aliases: ${taken} is a name of ${other.slug}`);
    if (!own && other.aliases.includes(slug))
      throw new ConflictException(`slug: ${slug} is an alias of ${other.slug}`);
  }
}

const columnsOf = (fields: ChangeServedModelDto): Partial<ServedModel> =>
  withoutAbsent({
    name: fields.name,
    contextTokens: fields.context_tokens,
    maxOutputTokens: fields.max_output_tokens,
    inputModalities: fields.input_modalities,
    outputModalities: fields.output_modalities,
    outputLimitField: fields.output_limit_field,
    aliases: fields.aliases,
    fallbacks: fields.fallbacks,
    state: fields.state,
    successor: fields.successor,
  });

/** The fields that are not undefined. */
export const withoutAbsent = <Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** What upstreams that serve a model speak themselves. */
const protocolsOf = (slug: string, upstreams: readonly UpstreamParts[]): UpstreamProtocol[] =>
  UPSTREAM_PROTOCOLS.filter((protocol) =>
    upstreams.some(
      ({ upstream, models }) =>
        upstream.state !== 'off' &&
        upstream.protocols.includes(protocol) &&
        models.some(({ model }) => model === slug || model === EVERY_MODEL),
    ),
  );

const modelView = (model: ServedModel, upstreams: readonly UpstreamParts[]): ServedModelResponse => ({
  id: model.id,
  slug: model.slug,
  name: model.name,
  context_tokens: model.contextTokens,
  max_output_tokens: model.maxOutputTokens,
  input_modalities: model.inputModalities,
  output_modalities: model.outputModalities,
  protocols: protocolsOf(model.slug, upstreams),
  output_limit_field: model.outputLimitField,
  aliases: model.aliases,
  fallbacks: model.fallbacks,
  state: model.state,
  successor: model.successor,
  version: model.version,
  updated_at: model.updatedAt.toISOString(),
});

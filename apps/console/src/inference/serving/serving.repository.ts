import { type Executor, type Transaction } from '@inference/database';
import { MODEL_PRICES } from '@inference/metering';
import {
  REPORT_TTL_SECONDS,
  ServedModel,
  StoredUpstream,
  UpstreamCredential,
  UpstreamModel,
  type UpstreamReport,
} from '@inference/serving';
import { In, IsNull, Not } from 'typeorm';

export interface UpstreamParts {
  upstream: StoredUpstream;
  /** Newest first. */
  credentials: UpstreamCredential[];
  models: UpstreamModel[];
}

/** All upstreams by their names, or those with an id. */
export async function readUpstreams(executor: Executor, ids?: string[]): Promise<UpstreamParts[]> {
  const [upstreams, credentials, models] = [
    await executor
      .repository(StoredUpstream)
      .find({ ...(ids && { where: { id: In(ids) } }), order: { name: 'ASC' } }),
    await executor
      .repository(UpstreamCredential)
      .find({ ...(ids && { where: { upstreamId: In(ids) } }), order: { createdAt: 'DESC', id: 'DESC' } }),
    await executor
      .repository(UpstreamModel)
      .find({ ...(ids && { where: { upstreamId: In(ids) } }), order: { priority: 'ASC', model: 'ASC' } }),
  ];
  return upstreams.map((upstream) => ({
    upstream,
    credentials: credentials.filter(({ upstreamId }) => upstreamId === upstream.id),
    models: models.filter(({ upstreamId }) => upstreamId === upstream.id),
  }));
}

export async function insertUpstream(
  transaction: Transaction,
  upstream: Partial<StoredUpstream>,
): Promise<void> {
  await transaction.repository(StoredUpstream).insert(upstream);
}

/** Stores changed fields. Whatever changes, the configuration no longer replaces the upstream. */
export async function updateUpstream(
  transaction: Transaction,
  id: string,
  changes: Partial<StoredUpstream>,
): Promise<void> {
  await transaction
    .repository(StoredUpstream)
    .update(
      { id },
      { ...changes, filledDigest: null, version: () => 'version + 1', updatedAt: () => 'clock_timestamp()' },
    );
}

export async function replaceUpstreamModels(
  transaction: Transaction,
  upstreamId: string,
  models: Omit<UpstreamModel, 'upstreamId'>[],
): Promise<void> {
  await transaction.repository(UpstreamModel).delete({ upstreamId });
  if (models.length > 0)
    await transaction.repository(UpstreamModel).insert(models.map((model) => ({ ...model, upstreamId })));
}

/** Returns whether there was one. Its credentials and models go with it, and the configuration no longer replaces the others. */
export async function deleteUpstream(transaction: Transaction, id: string): Promise<boolean> {
  await transaction
    .repository(StoredUpstream)
    .update({ filledDigest: Not(IsNull()) }, { filledDigest: null });
  return (await transaction.repository(StoredUpstream).delete({ id })).affected === 1;
}

/** Returns whether the upstream had the credential. */
export async function deleteCredential(
  transaction: Transaction,
  upstreamId: string,
  id: string,
): Promise<boolean> {
  return (await transaction.repository(UpstreamCredential).delete({ id, upstreamId })).affected === 1;
}

export async function deleteCredentials(transaction: Transaction, upstreamId: string): Promise<void> {
  await transaction.repository(UpstreamCredential).delete({ upstreamId });
}

/** All credentials, for a new key of the encryption. */
export const readCredentials = (executor: Executor): Promise<UpstreamCredential[]> =>
  executor.repository(UpstreamCredential).find();

export async function updateSealed(
  transaction: Transaction,
  { id, sealed }: UpstreamCredential,
  fresh: string,
): Promise<boolean> {
  return (
    (await transaction.repository(UpstreamCredential).update({ id, sealed }, { sealed: fresh })).affected ===
    1
  );
}

/** What the running gateways see. */
export async function readReports(executor: Executor): Promise<UpstreamReport[][]> {
  const { rows } = await executor.query<{ upstreams: UpstreamReport[] }>(
    `SELECT upstreams FROM serving.gateway_reports WHERE reported_at > clock_timestamp() - make_interval(secs => $1)`,
    [REPORT_TTL_SECONDS],
  );
  return rows.map(({ upstreams }) => upstreams);
}

/** Those of the models that answer chats, by what the newest price list charges for. */
export async function readChatModels(executor: Executor, models: string[]): Promise<Set<string>> {
  const { rows } = await executor.query<{ slug: string }>(
    `SELECT DISTINCT slug FROM ${MODEL_PRICES} p
     WHERE price_list_id = (SELECT max(id) FROM pricing.price_lists WHERE kind = 'models')
       AND unit IN ('per_million_tokens', 'per_million_output_tokens') AND slug = ANY ($1)`,
    [models],
  );
  return new Set(rows.map(({ slug }) => slug));
}

export const readServedModels = (executor: Executor): Promise<ServedModel[]> =>
  executor.repository(ServedModel).find({ order: { slug: 'ASC' } });

export async function insertServedModel(
  transaction: Transaction,
  model: Partial<ServedModel>,
): Promise<void> {
  await transaction.repository(ServedModel).insert(model);
}

export async function updateServedModel(
  transaction: Transaction,
  id: string,
  changes: Partial<ServedModel>,
): Promise<void> {
  await transaction
    .repository(ServedModel)
    .update(
      { id },
      { ...changes, filledDigest: null, version: () => 'version + 1', updatedAt: () => 'clock_timestamp()' },
    );
}

/** Returns whether there was one. The configuration no longer replaces the others. */
export async function deleteServedModel(transaction: Transaction, id: string): Promise<boolean> {
  await transaction.repository(ServedModel).update({ filledDigest: Not(IsNull()) }, { filledDigest: null });
  return (await transaction.repository(ServedModel).delete({ id })).affected === 1;
}

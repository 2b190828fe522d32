import { createHash } from 'node:crypto';
import { type Executor, newId, type Transaction } from '@inference/database';
import { type Price } from '@inference/metering';
import { type CredentialSeal } from './credential-seal';
import {
  EVERY_MODEL,
  Filling,
  type Modality,
  type OutputLimitField,
  ServedModel,
  StoredUpstream,
  UpstreamCredential,
  UpstreamModel,
  type UpstreamProtocol,
} from './serving.entity';

/** Announced whenever models or upstreams change. */
export const SERVING_CHANNEL = 'serving';

export type DirectoryModel = Pick<
  ServedModel,
  | 'slug'
  | 'name'
  | 'contextTokens'
  | 'maxOutputTokens'
  | 'inputModalities'
  | 'outputModalities'
  | 'outputLimitField'
  | 'aliases'
  | 'fallbacks'
  | 'state'
  | 'successor'
  | 'filledDigest'
>;

export type DirectoryUpstream = Pick<
  StoredUpstream,
  | 'id'
  | 'name'
  | 'baseUrl'
  | 'credentialHeader'
  | 'protocols'
  | 'state'
  | 'requestsPerMinute'
  | 'concurrency'
  | 'connectTimeoutMs'
  | 'firstByteTimeoutMs'
  | 'idleTimeoutMs'
  | 'filledDigest'
> & {
  tokensPerMinute: number | null;
  /** Sealed, newest first. */
  credentials: string[];
  /** The newest list; null if none was published. */
  costPrices: { id: string; prices: DirectoryCostPrice[] } | null;
  models: Pick<UpstreamModel, 'model' | 'upstreamName' | 'weight' | 'priority'>[];
};

/** A cost price as JSON has it. */
export type DirectoryCostPrice = Pick<Price, 'unit' | 'minInputTokens' | 'serviceTier' | 'hours'> & {
  /** The upstream's own name of the model. */
  model: string;
  /** Digits. */
  ratePicos: string;
  effectiveFrom: string | null;
};

/** All models and upstreams. */
export interface Directory {
  models: DirectoryModel[];
  upstreams: DirectoryUpstream[];
}

const DIRECTORY = `
  SELECT json_build_object(
    'models', coalesce((
      SELECT json_agg(json_build_object('slug', slug, 'name', name, 'contextTokens', context_tokens, 'maxOutputTokens', max_output_tokens,
        'inputModalities', input_modalities, 'outputModalities', output_modalities, 'outputLimitField', output_limit_field,
        'aliases', aliases, 'fallbacks', fallbacks, 'state', state, 'successor', successor, 'filledDigest', filled_digest)
        ORDER BY slug) FROM serving.models), '[]'),
    'upstreams', coalesce((
      SELECT json_agg(json_build_object('id', id, 'name', name, 'baseUrl', base_url, 'credentialHeader', credential_header, 'protocols', protocols,
        'state', state, 'requestsPerMinute', requests_per_minute, 'tokensPerMinute', tokens_per_minute,
        'concurrency', concurrency, 'connectTimeoutMs', connect_timeout_ms, 'firstByteTimeoutMs', first_byte_timeout_ms,
        'idleTimeoutMs', idle_timeout_ms, 'filledDigest', filled_digest,
        'credentials', coalesce((SELECT json_agg(sealed ORDER BY created_at DESC, c.id DESC)
          FROM serving.upstream_credentials c WHERE upstream_id = u.id), '[]'),
        'models', coalesce((SELECT json_agg(json_build_object('model', model, 'upstreamName', upstream_name,
          'weight', weight, 'priority', priority) ORDER BY model)
          FROM serving.upstream_models WHERE upstream_id = u.id), '[]'),
        'costPrices', (SELECT json_build_object('id', l.id::text, 'prices', coalesce((
            SELECT json_agg(json_build_object('model', model, 'unit', unit, 'ratePicos', rate_picos::text,
              'minInputTokens', min_input_tokens, 'serviceTier', service_tier, 'hours', hours, 'effectiveFrom', p.effective_from)
              ORDER BY position)
            FROM pricing.cost_prices p WHERE cost_price_list_id = l.id), '[]'))
          FROM pricing.cost_price_lists l WHERE l.upstream_id = u.id ORDER BY l.id DESC LIMIT 1))
        ORDER BY name) FROM serving.upstreams u), '[]'))::text AS directory`;

/** Returns the directory as JSON, in which equal directories are equal. */
export async function readDirectoryText(executor: Executor): Promise<string> {
  const { rows } = await executor.query<{ directory: string }>(DIRECTORY);
  return rows[0]!.directory;
}

export const parseDirectory = (text: string): Directory => JSON.parse(text) as Directory;

/** Waits for other changes of models and upstreams, and announces this one when its transaction is committed. */
export async function lockDirectory(transaction: Transaction): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtext('serving')), pg_notify($1, '')`, [
    SERVING_CHANNEL,
  ]);
}

/** One model server of the configuration. */
export interface ConfiguredUpstream {
  name: string;
  baseUrl: string;
  apiKey: string | undefined;
  /** Absent: chat completions. */
  protocols: UpstreamProtocol[] | undefined;
  models: string[] | Record<string, string> | undefined;
}

/** Limits of a model in the configuration. */
export interface ConfiguredModel {
  contextTokens: number | undefined;
  maxOutputTokens: number | undefined;
  outputLimitField: OutputLimitField | undefined;
  inputModalities: Modality[] | undefined;
  outputModalities: Modality[] | undefined;
}

/** Models and upstreams of the configuration, the latter in the order of preference. */
export interface ConfiguredDirectory {
  upstreams: ConfiguredUpstream[];
  models: Record<string, ConfiguredModel>;
}

/**
 * What a configuration does to a database. `once`: it fills an empty one that none has filled before. `until_changed`: it also replaces what an earlier configuration has
 * filled, as long as no operator has changed any of it.
 */
export type FillMode = 'once' | 'until_changed';

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);

/** @param wasFilled then operators have deleted what is missing */
const mayFill = (
  rows: readonly { filledDigest: string | null }[],
  digest: string,
  mode: FillMode,
  wasFilled: boolean,
): boolean =>
  rows.length === 0
    ? !wasFilled
    : mode === 'until_changed' &&
      rows.every(({ filledDigest }) => filledDigest !== null) &&
      differs(rows, digest);

const differs = (rows: readonly { filledDigest: string | null }[], digest: string): boolean =>
  rows.length === 0 || rows.some(({ filledDigest }) => filledDigest !== digest);

/** Which parts of the configuration are not what the database says. */
export interface FillOutcome {
  upstreamsDiffer: boolean;
  modelsDiffer: boolean;
}

/** Fills the database with models and upstreams of the configuration, as far as the mode allows. */
export async function fillDirectory(
  transaction: Transaction,
  { upstreams, models }: ConfiguredDirectory,
  mode: FillMode,
  seal: CredentialSeal,
): Promise<FillOutcome> {
  await lockDirectory(transaction);
  const stored = parseDirectory(await readDirectoryText(transaction));
  const upstreamsDigest = digestOf(upstreams);
  const modelsDigest = digestOf(models);
  const fillings = await transaction.repository(Filling).find();
  const wasFilled = (part: Filling['part']) => fillings.some((filling) => filling.part === part);
  const fillsUpstreams =
    upstreams.length > 0 && mayFill(stored.upstreams, upstreamsDigest, mode, wasFilled('upstreams'));
  const fillsModels =
    Object.keys(models).length > 0 && mayFill(stored.models, modelsDigest, mode, wasFilled('models'));
  if (fillsUpstreams) await replaceUpstreams(transaction, upstreams, upstreamsDigest, seal);
  if (fillsModels) await replaceModels(transaction, models, modelsDigest);
  return {
    upstreamsDiffer: !fillsUpstreams && upstreams.length > 0 && differs(stored.upstreams, upstreamsDigest),
    modelsDiffer: !fillsModels && Object.keys(models).length > 0 && differs(stored.models, modelsDigest),
  };
}

async function replaceUpstreams(
  transaction: Transaction,
  upstreams: readonly ConfiguredUpstream[],
  filledDigest: string,
  seal: CredentialSeal,
): Promise<void> {
  await transaction.query('DELETE FROM serving.upstreams');
  await noteFilling(transaction, 'upstreams');
  for (const [
    priority,
    { name, baseUrl, apiKey, protocols, models = [EVERY_MODEL] },
  ] of upstreams.entries()) {
    const id = newId('up');
    await transaction
      .repository(StoredUpstream)
      .insert({ id, name, baseUrl, filledDigest, ...(protocols && { protocols }) });
    if (apiKey !== undefined) await insertCredential(transaction, id, apiKey, seal);
    const names = Array.isArray(models)
      ? models.map((model) => [model, null] as const)
      : Object.entries(models);
    const rows = new Map(
      names.map(([model, upstreamName]) => [model, { upstreamId: id, model, upstreamName, priority }]),
    );
    if (rows.size > 0) await transaction.repository(UpstreamModel).insert([...rows.values()]);
  }
}

async function replaceModels(
  transaction: Transaction,
  models: Readonly<Record<string, ConfiguredModel>>,
  filledDigest: string,
): Promise<void> {
  await transaction.query('DELETE FROM serving.models');
  await noteFilling(transaction, 'models');
  const rows = Object.entries(models).map(([slug, limits]) => ({
    id: newId('mod'),
    slug,
    contextTokens: limits.contextTokens ?? null,
    maxOutputTokens: limits.maxOutputTokens ?? null,
    ...(limits.outputLimitField && { outputLimitField: limits.outputLimitField }),
    inputModalities: limits.inputModalities ?? null,
    outputModalities: limits.outputModalities ?? null,
    filledDigest,
  }));
  await transaction.repository(ServedModel).insert(rows);
}

const noteFilling = (transaction: Transaction, part: Filling['part']) =>
  transaction.query('INSERT INTO serving.fillings (part) VALUES ($1) ON CONFLICT DO NOTHING', [part]);

/** How much of the end of a credential people see. */
const HINT_CHARS = 4;
/** A shorter credential shows nothing of itself. */
const SHORTEST_WITH_HINT = 12;

/** Stores a credential of an upstream, which is used from now on. Returns its id. */
export async function insertCredential(
  transaction: Transaction,
  upstreamId: string,
  credential: string,
  seal: CredentialSeal,
): Promise<string> {
  const id = newId('upc');
  const hint = credential.length < SHORTEST_WITH_HINT ? '' : credential.slice(-HINT_CHARS);
  const sealed = seal.seal(upstreamId, credential);
  await transaction.repository(UpstreamCredential).insert({ id, upstreamId, sealed, hint });
  return id;
}

/** A gateway that has not reported for this long has ended or cannot reach the database. */
export const REPORT_TTL_SECONDS = 10;

/** Stores what a gateway sees. */
export async function reportUpstreams(executor: Executor, gatewayId: string, report: string): Promise<void> {
  await executor.query(
    `WITH ended AS (
       DELETE FROM serving.gateway_reports WHERE reported_at < clock_timestamp() - 60 * make_interval(secs => $3)
     )
     INSERT INTO serving.gateway_reports (gateway_id, upstreams) VALUES ($1, $2)
     ON CONFLICT (gateway_id) DO UPDATE SET reported_at = clock_timestamp(), upstreams = excluded.upstreams`,
    [gatewayId, report, REPORT_TTL_SECONDS],
  );
}

/** Removes the report of a gateway that ends. */
export async function removeReport(executor: Executor, gatewayId: string): Promise<void> {
  await executor.query('DELETE FROM serving.gateway_reports WHERE gateway_id = $1', [gatewayId]);
}

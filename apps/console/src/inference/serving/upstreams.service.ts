import { Database, type Executor, newId, type Transaction } from '@inference/database';
import {
  baseUrlFault,
  CredentialSeal,
  insertCredential,
  isInPrivateNetwork,
  lockDirectory,
  type StoredUpstream,
  type UpstreamModel,
  upstreamConnector,
  type UpstreamReport,
} from '@inference/serving';
import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Agent } from 'undici';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { changing } from './changing';
import { requireVersion, withoutAbsent } from './served-models.service';
import {
  type ChangeQuery,
  type ChangeUpstreamDto,
  type CredentialResponse,
  type NewUpstreamDto,
  type TestSettingsDto,
  type UpstreamModelDto,
  type UpstreamResponse,
  type UpstreamStateResponse,
  type UpstreamTestResponse,
  type VersionQuery,
} from './serving.dto';
import { SERVING_CONFIG, type ServingConfig } from '../inference.config';
import {
  deleteCredential,
  deleteCredentials,
  deleteUpstream,
  insertUpstream,
  readChatModels,
  readReports,
  readServedModels,
  readUpstreams,
  replaceUpstreamModels,
  updateUpstream,
  type UpstreamParts,
} from './serving.repository';
import { countsOf, healthOf, modelFigures, reportsOf, type UpstreamCounts } from './upstream-health';
import { testUpstream } from './upstream-test';

const TEST_CONNECT_TIMEOUT_MILLIS = 10_000;

/** The servers of models. */
@Injectable()
export class UpstreamsService implements OnApplicationShutdown {
  private readonly seal: CredentialSeal;
  /** Of tests. */
  private readonly agent: Agent;

  constructor(
    private readonly database: Database,
    @Inject(SERVING_CONFIG) private readonly config: ServingConfig,
  ) {
    this.seal = new CredentialSeal(config.encryptionKeys);
    this.agent = new Agent({
      connect: upstreamConnector(TEST_CONNECT_TIMEOUT_MILLIS, () => config.allowsPrivateNetworks),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  async list(): Promise<UpstreamResponse[]> {
    const reports = await readReports(this.database);
    return (await readUpstreams(this.database)).map((parts) => upstreamView(parts, reports));
  }

  async create(admin: Actor, fields: NewUpstreamDto, query: ChangeQuery): Promise<UpstreamResponse> {
    const { name, credential } = fields;
    await this.requireAllowed(fields.base_url);
    return changing(this.database, query, async (transaction) => {
      await lockDirectory(transaction);
      const before = await readUpstreams(transaction);
      if (before.some(({ upstream }) => upstream.name === name))
        throw new ConflictException(`name: ${name} is stored already`);
      const id = newId('up');
      await insertUpstream(transaction, { id, name, ...columnsOf(fields) });
      await replaceUpstreamModels(transaction, id, rowsOf(fields.models ?? []));
      if (credential != null) await insertCredential(transaction, id, credential, this.seal);
      return this.changed(transaction, admin, id, 'created', undefined);
    });
  }

  async change(
    admin: Actor,
    id: string,
    fields: ChangeUpstreamDto,
    query: ChangeQuery,
  ): Promise<UpstreamResponse> {
    if (fields.base_url !== undefined) await this.requireAllowed(fields.base_url);
    return changing(this.database, query, async (transaction) => {
      const before = await lockedUpstream(transaction, id);
      requireVersion(before.upstream.version, query);
      const { credential } = fields;
      const isMoved = isElsewhere(before.upstream, fields);
      if (isMoved && before.credentials.length > 0 && credential === undefined)
        throw new BadRequestException(
          'credential: must be given with another origin of base_url or another credential_header; null for none',
        );
      await updateUpstream(transaction, id, columnsOf(fields));
      if (fields.models) await replaceUpstreamModels(transaction, id, rowsOf(fields.models));
      if (isMoved) await deleteCredentials(transaction, id);
      if (credential != null) await insertCredential(transaction, id, credential, this.seal);
      return this.changed(transaction, admin, id, fields.state ?? 'changed', before);
    });
  }

  async delete(admin: Actor, id: string, query: VersionQuery): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const before = await lockedUpstream(transaction, id);
      requireVersion(before.upstream.version, query);
      await deleteUpstream(transaction, id);
      await recordChange(transaction, admin, before.upstream, 'deleted', differences(before, undefined));
    });
  }

  /** Stores a credential, which is used from now on. */
  async addCredential(
    admin: Actor,
    id: string,
    credential: string,
    query: VersionQuery,
  ): Promise<CredentialResponse> {
    return this.database.transaction(async (transaction) => {
      const { upstream } = await lockedUpstream(transaction, id);
      requireVersion(upstream.version, query);
      const credentialId = await insertCredential(transaction, id, credential, this.seal);
      await updateUpstream(transaction, id, {});
      await recordChange(transaction, admin, upstream, 'credential_added', { credential: credentialId });
      const [{ credentials }] = (await readUpstreams(transaction, [id])) as [UpstreamParts];
      return credentialView(credentials.find((stored) => stored.id === credentialId)!);
    });
  }

  async deleteCredential(admin: Actor, id: string, credentialId: string, query: VersionQuery): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const { upstream } = await lockedUpstream(transaction, id);
      requireVersion(upstream.version, query);
      if (!(await deleteCredential(transaction, id, credentialId)))
        throw new NotFoundException('no such credential');
      await updateUpstream(transaction, id, {});
      await recordChange(transaction, admin, upstream, 'credential_deleted', { credential: credentialId });
    });
  }

  /** Lists the models of the upstream and calls one of them. @param model the upstream's own name */
  async test(id: string, model: string | undefined): Promise<UpstreamTestResponse> {
    const [parts] = await readUpstreams(this.database, [id]);
    if (!parts) throw new NotFoundException('no such upstream');
    const { upstream, models } = parts;
    await this.requireAllowed(upstream.baseUrl);
    const credential = this.newestCredential(parts);
    const named = models.filter((served) => served.model !== '*');
    const chats = await readChatModels(
      this.database,
      named.map((served) => served.model),
    );
    const called = named.find((served) => chats.has(served.model)) ?? named[0];
    const name = model ?? called?.upstreamName ?? called?.model;
    return testUpstream(upstream, credential, name, this.agent);
  }

  /** As `test`, with settings that may not be stored yet. */
  async testSettings({
    upstream: id,
    credential,
    model,
    ...settings
  }: TestSettingsDto): Promise<UpstreamTestResponse> {
    await this.requireAllowed(settings.base_url);
    const [stored] = id === undefined ? [] : await readUpstreams(this.database, [id]);
    if (id !== undefined && !stored) throw new NotFoundException('no such upstream');
    const isAtHome = stored && !isElsewhere(stored.upstream, settings);
    const {
      base_url: baseUrl,
      credential_header: credentialHeader = stored?.upstream.credentialHeader ?? 'authorization',
      protocols = stored?.upstream.protocols ?? ['chat'],
    } = settings;
    return testUpstream(
      { baseUrl, credentialHeader, protocols },
      credential ?? (isAtHome ? this.newestCredential(stored) : null),
      model,
      this.agent,
    );
  }

  /** Throws 409. */
  private newestCredential({ upstream: { id }, credentials: [newest] }: UpstreamParts): string | null {
    if (!newest) return null;
    const credential = this.seal.open(id, newest.sealed);
    if (credential === null)
      throw new ConflictException('The credential is encrypted with a key that the console does not have.');
    return credential;
  }

  /** How each upstream is, as the running gateways see it. */
  async health(executor: Executor): Promise<UpstreamStateResponse[]> {
    const reports = await readReports(executor);
    return (await readUpstreams(executor)).map((parts) => stateView(parts, reports));
  }

  /** How many upstreams are in each state, and the models that none of them answers, judged as in `health` and in the figures of the models. */
  async counts(): Promise<UpstreamCounts> {
    const reports = await readReports(this.database);
    const upstreams = await readUpstreams(this.database);
    const models = modelFigures(await readServedModels(this.database), upstreams, reports);
    return countsOf(
      upstreams.map((parts) => stateView(parts, reports)),
      models,
    );
  }

  private async requireAllowed(baseUrl: string): Promise<void> {
    const fault = baseUrlFault(baseUrl);
    if (fault !== null) throw new BadRequestException(`base_url: ${fault}`);
    if (!this.config.allowsPrivateNetworks && (await isInPrivateNetwork(baseUrl)))
      throw new BadRequestException(
        'base_url: must not be in a private network unless UPSTREAM_PRIVATE_NETWORKS allows it',
      );
  }

  private async changed(
    transaction: Transaction,
    admin: Actor,
    id: string,
    change: string,
    before: UpstreamParts | undefined,
  ): Promise<UpstreamResponse> {
    const [parts] = (await readUpstreams(transaction, [id])) as [UpstreamParts];
    await recordChange(transaction, admin, parts.upstream, change, differences(before, parts));
    return upstreamView(parts, await readReports(transaction));
  }
}

const recordChange = (
  transaction: Transaction,
  admin: Actor,
  { name }: StoredUpstream,
  change: string,
  values: Differences = {},
) => recordActorEvent(transaction, admin, 'admin.upstream_changed', { upstream: name, change, ...values });

type Differences = Record<string, string | number | null>;

/** The former and the new values of what a change makes different, as the audit log has them. Credentials are told by their ids. */
function differences(before: UpstreamParts | undefined, after: UpstreamParts | undefined): Differences {
  const [former, present] = [before, after].map((parts) => (parts ? factsOf(parts) : {}));
  const found: Differences = {};
  for (const name of Object.keys({ ...former, ...present })) {
    const [old, fresh] = [former![name] ?? null, present![name] ?? null];
    if (old === fresh) continue;
    if (before) found[`old_${name}`] = old;
    if (after) found[`new_${name}`] = fresh;
  }
  return found;
}

const factsOf = ({ upstream, credentials, models }: UpstreamParts): Differences => ({
  ...settingsOf(upstream),
  protocols: upstream.protocols.join(', '),
  credentials: credentials.map(({ id }) => id).join(', ') || null,
  models:
    models
      .map(({ model, upstreamName, weight, priority }) =>
        [model, upstreamName ?? model, weight, priority].join(' '),
      )
      .join(', ') || null,
});

/** Whether a change would send the credentials to another place. Whoever may change an upstream need not know them. */
const isElsewhere = (
  { baseUrl, credentialHeader }: StoredUpstream,
  { base_url: url = baseUrl, credential_header: header = credentialHeader }: ChangeUpstreamDto,
): boolean => new URL(url).origin !== new URL(baseUrl).origin || header !== credentialHeader;

/** Throws 404. */
async function lockedUpstream(transaction: Transaction, id: string): Promise<UpstreamParts> {
  await lockDirectory(transaction);
  const [parts] = await readUpstreams(transaction, [id]);
  if (!parts) throw new NotFoundException('no such upstream');
  return parts;
}

/** Throws 400 if a model is named twice. */
function rowsOf(models: UpstreamModelDto[]): Omit<UpstreamModel, 'upstreamId'>[] {
  const repeated = models.findIndex(
    ({ model }, index) => models.findIndex((other) => other.model === model) < index,
  );
  if (repeated >= 0) throw new BadRequestException(`models.${repeated}.model: must be named once`);
  return models.map(({ model, upstream_name: upstreamName = null, weight, priority }) => ({
    model,
    upstreamName,
    weight,
    priority,
  }));
}

const columnsOf = (fields: ChangeUpstreamDto): Partial<StoredUpstream> =>
  withoutAbsent({
    baseUrl: fields.base_url,
    region: fields.region,
    credentialHeader: fields.credential_header,
    protocols: fields.protocols,
    state: fields.state,
    requestsPerMinute: fields.requests_per_minute,
    tokensPerMinute:
      fields.tokens_per_minute == null
        ? (fields.tokens_per_minute as null | undefined)
        : BigInt(fields.tokens_per_minute),
    concurrency: fields.concurrency,
    connectTimeoutMs: fields.connect_timeout_ms,
    firstByteTimeoutMs: fields.first_byte_timeout_ms,
    idleTimeoutMs: fields.idle_timeout_ms,
  });

const credentialView = ({
  id,
  hint,
  createdAt,
}: UpstreamParts['credentials'][number]): CredentialResponse => ({
  id,
  hint,
  created_at: createdAt.toISOString(),
});

const settingsOf = (upstream: StoredUpstream) => ({
  base_url: upstream.baseUrl,
  region: upstream.region,
  credential_header: upstream.credentialHeader,
  protocols: upstream.protocols,
  state: upstream.state,
  requests_per_minute: upstream.requestsPerMinute,
  tokens_per_minute: upstream.tokensPerMinute === null ? null : Number(upstream.tokensPerMinute),
  concurrency: upstream.concurrency,
  connect_timeout_ms: upstream.connectTimeoutMs,
  first_byte_timeout_ms: upstream.firstByteTimeoutMs,
  idle_timeout_ms: upstream.idleTimeoutMs,
});

function stateView(parts: UpstreamParts, reports: UpstreamReport[][]): UpstreamStateResponse {
  const { name, state, health, concurrency } = upstreamView(parts, reports);
  return { name, state, concurrency, ...health };
}

function upstreamView(
  { upstream, credentials, models }: UpstreamParts,
  reports: UpstreamReport[][],
): UpstreamResponse {
  return {
    id: upstream.id,
    name: upstream.name,
    ...settingsOf(upstream),
    credentials: credentials.map(credentialView),
    models: models.map(({ model, upstreamName, weight, priority }) => ({
      model,
      upstream_name: upstreamName,
      weight,
      priority,
    })),
    version: upstream.version,
    updated_at: upstream.updatedAt.toISOString(),
    health: healthOf(reportsOf(upstream.id, reports)),
  };
}

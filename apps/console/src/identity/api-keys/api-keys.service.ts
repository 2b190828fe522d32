import { Database, type Executor, newId, type Transaction } from '@inference/database';
import { type ApiKey, type Caller, createApiKey, hashSecretKey, type KeyKind } from '@inference/guards';
import { exactNumber, picosToDecimal } from '@inference/money';
import { instantText } from '@inference/time';
import {
  changeKeyLimit,
  type KeySpending,
  openKeyBudget,
  readKeySpending,
  recallLeases,
} from '@inference/wallet';
import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import { readTimeZone } from '../../accounts/accounts.repository';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { type AuditEventType, type SecurityEvent } from '../../accounts/audit-log/security-event.entity';
import { lockAccount } from '../../accounts/credentials.repository';
import { queueSecurityMail } from '../../notifications/mail/outbox';
import { API_KEYS_CONFIG, type ApiKeysConfig } from '../identity.config';
import {
  type ApiKeyResponse,
  type CreateApiKeyDto,
  type CreatedApiKeyResponse,
  type KeyMaker,
  type RotateApiKeyDto,
  type UpdateApiKeyDto,
} from './api-keys.dto';
import {
  type ApiKeySettings,
  countApiKeys,
  deleteApiKey,
  endFormerSecrets,
  insertApiKey,
  keepFormerSecret,
  listApiKeys,
  type ListedApiKey,
  lockApiKey,
  readFormerSecretEnds,
  readKeyNames,
  readSpentSince,
  updateApiKey,
} from './api-keys.repository';
import {
  BeyondRulesException,
  isHarmless,
  type KeyManager,
  readRules,
  requireLiveManager,
  requireWithin,
} from './management-keys';

export const MAX_API_KEYS = 100;

const SPENT_DAYS = 30;
/** Specified: after so many days without a call a key is shown as unused. */
const UNUSED_DAYS = 90;
/** Specified: when owners are told that a key will expire. */
const NOTICE_DAYS = [1, 7];
const MILLIS_PER_DAY = 86_400_000;
const NOTHING_SPENT: KeySpending = { spentPicos: 0n, countedPicos: 0n, periodEndsAt: null };

const shownAmount = (picos: bigint) => exactNumber(picosToDecimal(picos));
const shownTime = (time: Date | null | undefined) => time?.toISOString() ?? null;

function statusOf({ disabledAt, expiresAt }: ListedApiKey): ApiKeyResponse['status'] {
  if (disabledAt) return 'disabled';
  return expiresAt && expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
}

type NewKeyView = Omit<CreatedApiKeyResponse, 'key'>;

/** @param managementKeyId null: a person of the account did it */
const maker = (accountId: string, managementKeyId: string | null, names: Map<string, string>): KeyMaker =>
  managementKeyId === null
    ? { kind: 'person', id: accountId, name: null }
    : { kind: 'management_key', id: managementKeyId, name: names.get(managementKeyId) ?? null };

/**
 * What is known of a key without its use.
 * @param names of management keys, by their ids
 */
const newKeyView = (
  accountId: string,
  key: ListedApiKey,
  formerSecretEndsAt: Date | undefined,
  names: Map<string, string>,
): NewKeyView => ({
  id: key.id,
  kind: key.kind,
  name: key.name,
  prefix: key.prefix,
  created_at: key.createdAt.toISOString(),
  created_by: maker(accountId, key.createdBy, names),
  rotated_at: shownTime(key.rotatedAt),
  rotated_by: key.rotatedAt ? maker(accountId, key.rotatedBy, names) : null,
  description: key.description,
  tags: key.tags,
  status: statusOf(key),
  disabled: key.disabledAt !== null,
  expires_at: shownTime(key.expiresAt),
  former_secret_ends_at: shownTime(formerSecretEndsAt),
  allowed_ips: key.allowedIps,
  rpm: key.requestsPerMinute,
  tpm: key.tokensPerMinute,
  max_concurrency: key.maxConcurrency,
  spend_limit: key.spendLimitPicos === null ? null : shownAmount(key.spendLimitPicos),
  period: key.spendPeriod,
  allowed_models: key.allowedModels,
  reports_cost: key.reportsCost,
});

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    @Inject(API_KEYS_CONFIG) private readonly config: ApiKeysConfig,
  ) {}

  /** Makes a key and its budget. Only this view contains the key itself. Throws 403 for what a management key may not make. */
  async create(manager: KeyManager, input: CreateApiKeyDto): Promise<CreatedApiKeyResponse> {
    const { accountId, managementKeyId = null } = manager;
    const { kind = 'api' } = input;
    if (kind === 'management' && managementKeyId !== null)
      throw new BeyondRulesException('kind: a management key makes no other one');
    const { key, prefix } = createApiKey(kind);
    const keyHash = hashSecretKey(key, this.config.hashSecret);
    const said = settingsOf(input, kind);
    const { stored, names } = await this.database.transaction(async (transaction) => {
      await this.requireRoom(transaction, accountId);
      // The session may have ended while this transaction waited for the lock of the account.
      const rules = await requireLiveManager(transaction, manager);
      const settings = { ...DEFAULTS, ...rules, ...said };
      if (rules) requireWithin(rules, settings);
      const id = newId('key');
      const made = { id, accountId, kind, createdBy: managementKeyId, prefix, keyHash, ...settings };
      const inserted = await insertApiKey(transaction, made);
      // A management key spends nothing.
      if (kind === 'api') await this.openBudget(transaction, inserted);
      const details = { api_key_id: id, prefix, ...(kind === 'management' && { kind }) };
      await this.record(transaction, manager, 'api_key.created', details);
      return { stored: inserted, names: await this.namesIn(transaction, accountId, [inserted]) };
    });
    const { id, name, ...shown } = newKeyView(accountId, stored, undefined, names);
    return { id, name, key, ...shown };
  }

  async list({
    accountId,
    managementKeyId,
  }: Pick<Caller, 'accountId' | 'managementKeyId'>): Promise<ApiKeyResponse[]> {
    const kinds: KeyKind[] | undefined = managementKeyId === undefined ? undefined : ['api'];
    return this.views(accountId, await listApiKeys(this.database, accountId, kinds));
  }

  /**
   * Throws 404 unless the key is the account's, and 403 for a change that a management key may not make. Records no event if nothing
   * changes.
   */
  async update(manager: KeyManager, id: string, input: UpdateApiKeyDto): Promise<ApiKeyResponse> {
    const { accountId } = manager;
    const key = await this.database.transaction(async (transaction) => {
      // Locked in this order everywhere: the account, its wallet, the key, its budget.
      const saysLimit = input.spend_limit !== undefined || input.period !== undefined;
      const timeZone = saysLimit ? await readTimeZone(transaction, accountId) : null;
      if (timeZone !== null) await recallLeases(transaction, accountId, 0);
      const rules = await readRules(transaction, manager);
      const current = await this.lockKey(transaction, manager, id);
      const changed = changesOf(current, settingsOf(input, current.kind, current.expiresAt));
      if (Object.keys(changed).length === 0) return current;
      const next = { ...current, ...changed };
      if (rules && !isHarmless(changed)) requireWithin(rules, next);
      await updateApiKey(transaction, id, changed);
      const changesLimit = changed.spendLimitPicos !== undefined || changed.spendPeriod !== undefined;
      if (current.kind === 'api' && changesLimit && timeZone !== null)
        await changeKeyLimit(transaction, accountId, id, {
          limitPicos: next.spendLimitPicos,
          period: next.spendPeriod,
          timeZone,
        });
      const details = { api_key_id: id, ...eventDetails(changed) };
      await this.record(transaction, manager, 'api_key.changed', details);
      return next;
    });
    const [view] = await this.views(accountId, [key]);
    return view!;
  }

  /**
   * Throws 404 unless the key is the account's, and 403 for a key that can do more than what a management key may make. Former secrets of
   * an earlier rotation end with this one.
   */
  async rotate(
    manager: KeyManager,
    id: string,
    { overlap_seconds: overlapSeconds }: RotateApiKeyDto,
  ): Promise<CreatedApiKeyResponse> {
    const { accountId, origin, managementKeyId = null } = manager;
    const made = await this.database.transaction(async (transaction) => {
      await lockAccount(transaction, accountId);
      const current = await this.lockKey(transaction, manager, id);
      const rules = await requireLiveManager(transaction, manager);
      if (rules) requireWithin(rules, current);
      const { key, prefix } = createApiKey(current.kind);
      const keyHash = hashSecretKey(key, this.config.hashSecret);
      await endFormerSecrets(transaction, id);
      await keepFormerSecret(transaction, id, overlapSeconds);
      const change = { keyHash, prefix, rotatedAt: new Date(), rotatedBy: managementKeyId };
      await updateApiKey(transaction, id, change);
      const formerEndsAt = (await readFormerSecretEnds(transaction, accountId)).get(id);
      const details = { api_key_id: id, prefix, overlap_seconds: overlapSeconds };
      await this.record(transaction, manager, 'api_key.rotated', details);
      const facts = { name: current.name, prefix, formerEndsAt: shownTime(formerEndsAt) };
      await queueSecurityMail(transaction, 'api_key_rotated', accountId, origin, { rotated: facts });
      const rotated = { ...current, ...change };
      const names = await this.namesIn(transaction, accountId, [rotated]);
      return { key, rotated, formerEndsAt, names };
    });
    const { id: _id, name, ...shown } = newKeyView(accountId, made.rotated, made.formerEndsAt, made.names);
    return { id, name, key: made.key, ...shown };
  }

  async delete({ accountId, origin }: Actor, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await deleteApiKey(transaction, { accountId, id })))
        throw new NotFoundException('no such API key');
      await endFormerSecrets(transaction, id);
      const details = { api_key_id: id };
      await recordActorEvent(transaction, { accountId, origin }, 'api_key.deleted', details);
    });
  }

  private async views(accountId: string, keys: ListedApiKey[]): Promise<ApiKeyResponse[]> {
    const ids = keys.map(({ id }) => id);
    const since = new Date(Date.now() - SPENT_DAYS * MILLIS_PER_DAY);
    const unusedSince = Date.now() - UNUSED_DAYS * MILLIS_PER_DAY;
    const [spending, recentlySpent, formerEnds, names] = await Promise.all([
      readKeySpending(this.database, ids),
      readSpentSince(this.database, accountId, since),
      readFormerSecretEnds(this.database, accountId),
      this.namesIn(this.database, accountId, keys),
    ]);
    return keys.map((key) => {
      const { spentPicos, countedPicos, periodEndsAt } = spending.get(key.id) ?? NOTHING_SPENT;
      return {
        ...newKeyView(accountId, key, formerEnds.get(key.id), names),
        last_used_at: shownTime(key.lastUsedAt),
        suspension: key.suspendedAt && {
          suspended_at: key.suspendedAt.toISOString(),
          message: key.suspensionMessage,
        },
        unused: (key.lastUsedAt ?? key.createdAt).getTime() < unusedSince,
        spent: shownAmount(spentPicos),
        spent_in_period: shownAmount(countedPicos),
        period_ends_at: shownTime(periodEndsAt),
        spent_30_days: shownAmount(recentlySpent.get(key.id) ?? 0n),
      };
    });
  }

  private async openBudget(transaction: Transaction, key: ApiKey): Promise<void> {
    const { id: apiKeyId, accountId, spendLimitPicos: limitPicos, spendPeriod: period } = key;
    const timeZone = await readTimeZone(transaction, accountId);
    await openKeyBudget(transaction, { apiKeyId, accountId, limitPicos, period, timeZone });
  }

  /** Management keys are no business of each other. */
  private async lockKey(
    transaction: Transaction,
    { accountId, managementKeyId }: KeyManager,
    id: string,
  ): Promise<ApiKey> {
    const key = await lockApiKey(transaction, { accountId, id });
    if (!key || (managementKeyId !== undefined && key.kind === 'management'))
      throw new NotFoundException('no such API key');
    return key;
  }

  /** The names of the management keys that made keys or their secrets. */
  private namesIn(
    executor: Executor,
    accountId: string,
    keys: Pick<ApiKey, 'createdBy' | 'rotatedBy'>[],
  ): Promise<Map<string, string>> {
    const ids = keys.flatMap(({ createdBy, rotatedBy }) => [createdBy, rotatedBy]);
    return readKeyNames(executor, accountId, [...new Set(ids.filter((id) => id !== null))]);
  }

  private async record(
    transaction: Transaction,
    { accountId, origin, managementKeyId }: KeyManager,
    type: AuditEventType,
    facts: SecurityEvent['details'],
  ): Promise<void> {
    const details = managementKeyId === undefined ? facts : { ...facts, management_key_id: managementKeyId };
    await recordActorEvent(transaction, { accountId, origin }, type, details);
  }

  /** Locks the account, so that keys made at the same time are all counted. Throws 409 at the limit. */
  private async requireRoom(transaction: Transaction, accountId: string): Promise<void> {
    await lockAccount(transaction, accountId);
    if ((await countApiKeys(transaction, accountId)) >= MAX_API_KEYS)
      throw new ConflictException(`an account has at most ${MAX_API_KEYS} API keys; delete one first`);
  }
}

const DEFAULTS: ApiKeySettings = {
  name: '',
  description: '',
  tags: [],
  disabledAt: null,
  expiresAt: null,
  expiryNoticeDays: null,
  allowedIps: null,
  spendLimitPicos: null,
  spendPeriod: 'total',
  allowedModels: null,
  reportsCost: true,
  requestsPerMinute: null,
  tokensPerMinute: null,
  maxConcurrency: null,
};

/**
 * What is sent of a key, as it is stored. Throws 400 for an end that has passed, and for what its kind does not know.
 * @param knownEnd what the key has already: clients send back what they have read of a key that has expired
 */
function settingsOf(
  input: UpdateApiKeyDto,
  kind: KeyKind,
  knownEnd: Date | null = null,
): Partial<ApiKeySettings> {
  if (kind === 'management' && input.reports_cost === false)
    throw new BadRequestException('reports_cost: a management key calls no models');
  const settings: { [Name in keyof ApiKeySettings]: ApiKeySettings[Name] | undefined } = {
    name: input.name,
    description: input.description,
    tags: input.tags,
    disabledAt: input.disabled === undefined ? undefined : input.disabled ? new Date() : null,
    ...expiryOf(input.expires_at, knownEnd),
    allowedIps: input.allowed_ips,
    spendLimitPicos: input.spend_limit,
    spendPeriod: input.period,
    allowedModels: input.allowed_models,
    reportsCost: input.reports_cost,
    requestsPerMinute: input.rpm,
    tokensPerMinute: input.tpm,
    maxConcurrency: input.max_concurrency,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Who chooses an end that is near needs no mail about it. */
function expiryOf(micros: bigint | null | undefined, knownEnd: Date | null) {
  if (micros === undefined || micros === null)
    return { expiresAt: micros, expiryNoticeDays: micros === null ? null : undefined };
  const expiresAt = new Date(instantText(micros));
  const leftMillis = expiresAt.getTime() - Date.now();
  if (leftMillis <= 0 && expiresAt.getTime() !== knownEnd?.getTime())
    throw new BadRequestException('expires_at: must be in the future');
  const days = NOTICE_DAYS.find((notice) => leftMillis <= notice * MILLIS_PER_DAY) ?? null;
  return { expiresAt, expiryNoticeDays: days };
}

/** What differs from the key. */
function changesOf(key: ApiKeySettings, wanted: Partial<ApiKeySettings>): Partial<ApiKeySettings> {
  const isSame = (name: keyof ApiKeySettings) => {
    if (name === 'disabledAt') return (key.disabledAt === null) === (wanted.disabledAt === null);
    // Follows the end.
    const compared = name === 'expiryNoticeDays' ? 'expiresAt' : name;
    return comparable(key[compared]) === comparable(wanted[compared]);
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(([name]) => !isSame(name as keyof ApiKeySettings)),
  ) as Partial<ApiKeySettings>;
}

const comparable = (value: unknown): string =>
  typeof value === 'bigint' ? value.toString() : JSON.stringify(value);

const timeOrNull = (time: Date | null) => time && time.toISOString();

/** The changed fields under their names in the API. */
function eventDetails(changed: Partial<ApiKeySettings>): Record<string, string | number | boolean | null> {
  const { spendLimitPicos: limit } = changed;
  const details = {
    name: changed.name,
    description: changed.description,
    tags: changed.tags?.join(' '),
    disabled: changed.disabledAt === undefined ? undefined : changed.disabledAt !== null,
    expires_at: changed.expiresAt === undefined ? undefined : timeOrNull(changed.expiresAt),
    allowed_ips: changed.allowedIps === undefined ? undefined : (changed.allowedIps?.join(' ') ?? null),
    spend_limit: limit === undefined || limit === null ? limit : picosToDecimal(limit),
    period: changed.spendPeriod,
    allowed_models:
      changed.allowedModels === undefined ? undefined : (changed.allowedModels?.join(' ') ?? null),
    reports_cost: changed.reportsCost,
    rpm: changed.requestsPerMinute,
    tpm: changed.tokensPerMinute,
    max_concurrency: changed.maxConcurrency,
  };
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)) as Record<
    string,
    string | number | boolean | null
  >;
}

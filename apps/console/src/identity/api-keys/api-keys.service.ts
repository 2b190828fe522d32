import { Database, newId, type Transaction } from '@inference/database';
import { createApiKey, hashSecretKey } from '@inference/guards';
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
  UnauthorizedException,
} from '@nestjs/common';
import { readTimeZone } from '../../accounts/accounts.repository';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { lockAccount } from '../../accounts/credentials.repository';
import { queueSecurityMail } from '../../notifications/mail/outbox';
import { API_KEYS_CONFIG, type ApiKeysConfig } from '../identity.config';
import { lockLiveSession } from '../sessions/sessions.repository';
import {
  type ApiKeyResponse,
  type CreateApiKeyDto,
  type CreatedApiKeyResponse,
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
  readSpentSince,
  updateApiKey,
} from './api-keys.repository';

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

/** What is known of a key without its use. */
const newKeyView = (key: ListedApiKey, formerSecretEndsAt: Date | undefined): NewKeyView => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  created_at: key.createdAt.toISOString(),
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

  /** Makes a key and its budget. Only this view contains the key itself. */
  async create(
    { accountId, sessionId, origin }: Actor,
    input: CreateApiKeyDto,
  ): Promise<CreatedApiKeyResponse> {
    const { key, prefix } = createApiKey();
    const keyHash = hashSecretKey(key, this.config.hashSecret);
    const settings = { ...DEFAULTS, ...settingsOf(input) };
    const stored = await this.database.transaction(async (transaction) => {
      await this.requireRoom(transaction, accountId);
      // The session may have ended while this transaction waited for the lock of the account.
      await requireLiveSession(transaction, { accountId, sessionId });
      const id = newId('key');
      const inserted = await insertApiKey(transaction, { id, accountId, prefix, keyHash, ...settings });
      const { spendLimitPicos: limitPicos, spendPeriod: period } = settings;
      const timeZone = await readTimeZone(transaction, accountId);
      await openKeyBudget(transaction, { apiKeyId: id, accountId, limitPicos, period, timeZone });
      const details = { api_key_id: id, prefix };
      const event = { type: 'api_key.created', accountId, actorId: accountId, origin, details } as const;
      await recordAuditEvent(transaction, event);
      return inserted;
    });
    const { id, name, ...shown } = newKeyView(stored, undefined);
    return { id, name, key, ...shown };
  }

  async list(accountId: string): Promise<ApiKeyResponse[]> {
    return this.views(accountId, await listApiKeys(this.database, accountId));
  }

  /** Throws 404 unless the key is the account's. Records no event if nothing changes. */
  async update({ accountId, origin }: Actor, id: string, input: UpdateApiKeyDto): Promise<ApiKeyResponse> {
    const wanted = settingsOf(input);
    const key = await this.database.transaction(async (transaction) => {
      // The wallet is locked before the budget, as everywhere.
      if (wanted.spendLimitPicos !== undefined || wanted.spendPeriod !== undefined)
        await recallLeases(transaction, accountId, 0);
      const current = await lockApiKey(transaction, { accountId, id });
      if (!current) throw new NotFoundException('no such API key');
      const changed = changesOf(current, wanted);
      if (Object.keys(changed).length === 0) return current;
      await updateApiKey(transaction, id, changed);
      const next = { ...current, ...changed };
      if (changed.spendLimitPicos !== undefined || changed.spendPeriod !== undefined)
        await changeKeyLimit(transaction, accountId, id, {
          limitPicos: next.spendLimitPicos,
          period: next.spendPeriod,
          timeZone: await readTimeZone(transaction, accountId),
        });
      const details = { api_key_id: id, ...eventDetails(changed) };
      const event = { type: 'api_key.changed', accountId, actorId: accountId, origin, details } as const;
      await recordAuditEvent(transaction, event);
      return next;
    });
    const [view] = await this.views(accountId, [key]);
    return view!;
  }

  /** Throws 404 unless the key is the account's. Former secrets of an earlier rotation end with this one. */
  async rotate(
    { accountId, sessionId, origin }: Actor,
    id: string,
    { overlap_seconds: overlapSeconds }: RotateApiKeyDto,
  ): Promise<CreatedApiKeyResponse> {
    const { key, prefix } = createApiKey();
    const keyHash = hashSecretKey(key, this.config.hashSecret);
    const { rotated, formerEndsAt } = await this.database.transaction(async (transaction) => {
      const current = await lockApiKey(transaction, { accountId, id });
      if (!current) throw new NotFoundException('no such API key');
      await requireLiveSession(transaction, { accountId, sessionId });
      await endFormerSecrets(transaction, id);
      if (overlapSeconds > 0) await keepFormerSecret(transaction, id, overlapSeconds);
      await updateApiKey(transaction, id, { keyHash, prefix });
      const endsAt = (await readFormerSecretEnds(transaction, accountId)).get(id);
      const details = { api_key_id: id, prefix, overlap_seconds: overlapSeconds };
      const event = { type: 'api_key.rotated', accountId, actorId: accountId, origin, details } as const;
      await recordAuditEvent(transaction, event);
      const facts = { name: current.name, prefix, formerEndsAt: shownTime(endsAt) };
      await queueSecurityMail(transaction, 'api_key_rotated', accountId, origin, { rotated: facts });
      return { rotated: { ...current, prefix }, formerEndsAt: endsAt };
    });
    const { id: _id, name, ...shown } = newKeyView(rotated, formerEndsAt);
    return { id, name, key, ...shown };
  }

  async delete({ accountId, origin }: Actor, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await deleteApiKey(transaction, { accountId, id })))
        throw new NotFoundException('no such API key');
      await endFormerSecrets(transaction, id);
      const details = { api_key_id: id };
      const event = { type: 'api_key.deleted', accountId, actorId: accountId, origin, details } as const;
      await recordAuditEvent(transaction, event);
    });
  }

  private async views(accountId: string, keys: ListedApiKey[]): Promise<ApiKeyResponse[]> {
    const ids = keys.map(({ id }) => id);
    const since = new Date(Date.now() - SPENT_DAYS * MILLIS_PER_DAY);
    const unusedSince = Date.now() - UNUSED_DAYS * MILLIS_PER_DAY;
    const [spending, recentlySpent, formerEnds] = await Promise.all([
      readKeySpending(this.database, ids),
      readSpentSince(this.database, accountId, since),
      readFormerSecretEnds(this.database, accountId),
    ]);
    return keys.map((key) => {
      const { spentPicos, countedPicos, periodEndsAt } = spending.get(key.id) ?? NOTHING_SPENT;
      return {
        ...newKeyView(key, formerEnds.get(key.id)),
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

  /** Locks the account, so that keys made at the same time are all counted. Throws 409 at the limit. */
  private async requireRoom(transaction: Transaction, accountId: string): Promise<void> {
    await lockAccount(transaction, accountId);
    if ((await countApiKeys(transaction, accountId)) >= MAX_API_KEYS)
      throw new ConflictException(`an account has at most ${MAX_API_KEYS} API keys; delete one first`);
  }
}

async function requireLiveSession(
  transaction: Transaction,
  session: Pick<Actor, 'accountId' | 'sessionId'>,
): Promise<void> {
  if (!(await lockLiveSession(transaction, session)))
    throw new UnauthorizedException('the session has just ended');
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

/** What is sent of a key, as it is stored. Throws 400 for an end that has passed. */
function settingsOf(input: UpdateApiKeyDto): Partial<ApiKeySettings> {
  const settings: { [Name in keyof ApiKeySettings]: ApiKeySettings[Name] | undefined } = {
    name: input.name,
    description: input.description,
    tags: input.tags,
    disabledAt: input.disabled === undefined ? undefined : input.disabled ? new Date() : null,
    ...expiryOf(input.expires_at),
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
function expiryOf(micros: bigint | null | undefined) {
  if (micros === undefined || micros === null)
    return { expiresAt: micros, expiryNoticeDays: micros === null ? null : undefined };
  const expiresAt = new Date(instantText(micros));
  const leftMillis = expiresAt.getTime() - Date.now();
  if (leftMillis <= 0) throw new BadRequestException('expires_at: must be in the future');
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

import { Database, newId, type Transaction } from '@inference/database';
import { type ApiKey, createApiKey, hashSecretKey } from '@inference/guards';
import { exactNumber, picosToDecimal } from '@inference/money';
import { changeKeyLimit, openKeyBudget, readKeySpending, recallLeases } from '@inference/wallet';
import {
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { lockAccount } from '../../accounts/credentials.repository';
import { API_KEYS_CONFIG, type ApiKeysConfig } from '../identity.config';
import { lockLiveSession } from '../sessions/sessions.repository';
import {
  type ApiKeyResponse,
  type CreateApiKeyDto,
  type CreatedApiKeyResponse,
  type UpdateApiKeyDto,
} from './api-keys.dto';
import {
  countApiKeys,
  deleteApiKey,
  insertApiKey,
  listApiKeys,
  type ListedApiKey,
  lockApiKey,
  readSpentSince,
  updateApiKey,
} from './api-keys.repository';

export const MAX_API_KEYS = 100;

const SPENT_DAYS = 30;
const MILLIS_PER_DAY = 86_400_000;

type UnusedKey = Omit<ApiKeyResponse, 'spent' | 'spent_30_days' | 'suspension'>;

const shownLimit = (picos: bigint | null) => (picos === null ? null : exactNumber(picosToDecimal(picos)));

function unusedView({
  id,
  name,
  prefix,
  createdAt,
  lastUsedAt,
  spendLimitPicos,
  allowedModels,
  reportsCost,
}: ListedApiKey): UnusedKey {
  return {
    id,
    name,
    prefix,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    spend_limit: shownLimit(spendLimitPicos),
    allowed_models: allowedModels,
    reports_cost: reportsCost,
  };
}

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
    const spendLimitPicos = input.spend_limit ?? null;
    const stored = await this.database.transaction(async (transaction) => {
      await this.requireRoom(transaction, accountId);
      // The session may have ended while this transaction waited for the lock of the account.
      if (!(await lockLiveSession(transaction, { accountId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      const id = newId('key');
      const allowedModels = input.allowed_models ?? null;
      const { name, reports_cost: reportsCost } = input;
      const limits = { spendLimitPicos, allowedModels, reportsCost };
      const inserted = await insertApiKey(transaction, { id, accountId, name, prefix, keyHash, ...limits });
      await openKeyBudget(transaction, { apiKeyId: id, accountId, limitPicos: spendLimitPicos });
      const details = { api_key_id: id, prefix };
      const event = { type: 'api_key.created', accountId, actorId: accountId, origin, details } as const;
      await recordAuditEvent(transaction, event);
      return inserted;
    });
    const { last_used_at: _neverUsed, id, name, ...shown } = unusedView(stored);
    return { id, name, key, ...shown };
  }

  async list(accountId: string): Promise<ApiKeyResponse[]> {
    return this.views(accountId, await listApiKeys(this.database, accountId));
  }

  /** Throws 404 unless the key is the account's. Records no event if nothing changes. */
  async update({ accountId, origin }: Actor, id: string, input: UpdateApiKeyDto): Promise<ApiKeyResponse> {
    const key = await this.database.transaction(async (transaction) => {
      // The wallet is locked before the budget, as everywhere.
      if (input.spend_limit !== undefined) await recallLeases(transaction, accountId, 0);
      const current = await lockApiKey(transaction, { accountId, id });
      if (!current) throw new NotFoundException('no such API key');
      const changed = changesOf(current, input);
      if (Object.keys(changed).length === 0) return current;
      await updateApiKey(transaction, id, changed);
      if (changed.spendLimitPicos !== undefined)
        await changeKeyLimit(transaction, accountId, id, changed.spendLimitPicos);
      const { name, spendLimitPicos, allowedModels, reportsCost } = changed;
      const details = {
        api_key_id: id,
        ...(name !== undefined && { name }),
        ...(spendLimitPicos !== undefined && {
          spend_limit: spendLimitPicos === null ? null : picosToDecimal(spendLimitPicos),
        }),
        ...(allowedModels !== undefined && { allowed_models: allowedModels?.join(' ') ?? null }),
        ...(reportsCost !== undefined && { reports_cost: reportsCost }),
      };
      const event = { type: 'api_key.changed', accountId, actorId: accountId, origin, details } as const;
      await recordAuditEvent(transaction, event);
      return { ...current, ...changed };
    });
    const [view] = await this.views(accountId, [key]);
    return view!;
  }

  async delete({ accountId, origin }: Actor, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await deleteApiKey(transaction, { accountId, id })))
        throw new NotFoundException('no such API key');
      const details = { api_key_id: id };
      const event = { type: 'api_key.deleted', accountId, actorId: accountId, origin, details } as const;
      await recordAuditEvent(transaction, event);
    });
  }

  private async views(accountId: string, keys: ListedApiKey[]): Promise<ApiKeyResponse[]> {
    const ids = keys.map(({ id }) => id);
    const since = new Date(Date.now() - SPENT_DAYS * MILLIS_PER_DAY);
    const [spent, recentlySpent] = await Promise.all([
      readKeySpending(this.database, ids),
      readSpentSince(this.database, accountId, since),
    ]);
    return keys.map((key) => ({
      ...unusedView(key),
      suspension: key.suspendedAt && {
        suspended_at: key.suspendedAt.toISOString(),
        message: key.suspensionMessage,
      },
      spent: exactNumber(picosToDecimal(spent.get(key.id) ?? 0n)),
      spent_30_days: exactNumber(picosToDecimal(recentlySpent.get(key.id) ?? 0n)),
    }));
  }

  /** Locks the account, so that keys made at the same time are all counted. Throws 409 at the limit. */
  private async requireRoom(transaction: Transaction, accountId: string): Promise<void> {
    await lockAccount(transaction, accountId);
    if ((await countApiKeys(transaction, accountId)) >= MAX_API_KEYS)
      throw new ConflictException(`an account has at most ${MAX_API_KEYS} API keys; delete one first`);
  }
}

type ApiKeyChanges = Partial<Pick<ApiKey, 'name' | 'spendLimitPicos' | 'allowedModels' | 'reportsCost'>>;

/** The fields of the input that differ from the key. */
function changesOf(key: ApiKey, input: UpdateApiKeyDto): ApiKeyChanges {
  const {
    name,
    spend_limit: spendLimitPicos,
    allowed_models: allowedModels,
    reports_cost: reportsCost,
  } = input;
  const isSame = (models: string[] | null) => JSON.stringify(models) === JSON.stringify(key.allowedModels);
  return {
    ...(name !== undefined && name !== key.name && { name }),
    ...(spendLimitPicos !== undefined && spendLimitPicos !== key.spendLimitPicos && { spendLimitPicos }),
    ...(allowedModels !== undefined && !isSame(allowedModels) && { allowedModels }),
    ...(reportsCost !== undefined && reportsCost !== key.reportsCost && { reportsCost }),
  };
}

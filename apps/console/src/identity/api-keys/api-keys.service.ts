import {
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { type ApiKey, createApiKey, hashSecretKey } from '@inference/guards';
import { Database, newId, type Transaction } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { openKeyBudget } from '@inference/wallet';
import { lockLiveSession } from '../sessions/sessions.repository';
import { lockAccount } from '../accounts/credentials.repository';
import { type Actor } from '../audit-log/actor';
import { recordAuditEvent } from '../audit-log/audit-log';
import { countApiKeys, deleteApiKeys, insertApiKey, listApiKeys } from './api-keys.repository';
import { API_KEYS_CONFIG, type ApiKeysConfig } from './api-keys.config';
import { type ApiKeyResponse, type CreateApiKeyDto, type CreatedApiKeyResponse } from './api-keys.dto';

export const MAX_API_KEYS = 100;

function view({
  id,
  name,
  prefix,
  createdAt,
  lastUsedAt,
  spendLimitPicos,
  allowedModels,
}: ApiKey): ApiKeyResponse {
  return {
    id,
    name,
    prefix,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    spend_limit: spendLimitPicos === null ? null : exactNumber(picosToDecimal(spendLimitPicos)),
    allowed_models: allowedModels,
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
      const apiKey = { id, accountId, name: input.name, prefix, keyHash, spendLimitPicos, allowedModels };
      const inserted = await insertApiKey(transaction, apiKey);
      await openKeyBudget(transaction, { apiKeyId: id, accountId, limitPicos: spendLimitPicos });
      const details = { api_key_id: id, prefix };
      const event = { type: 'api_key.created', accountId, actorId: accountId, origin, details } as const;
      await recordAuditEvent(transaction, event);
      return inserted;
    });
    const { last_used_at: _neverUsed, id, name, ...shown } = view(stored);
    return { id, name, key, ...shown };
  }

  async list(accountId: string): Promise<ApiKeyResponse[]> {
    return (await listApiKeys(this.database, accountId)).map(view);
  }

  async delete({ accountId, origin }: Actor, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const deleted = await deleteApiKeys(transaction, { accountId, id });
      if (deleted.length === 0) throw new NotFoundException('no such API key');
      const details = { api_key_id: id };
      const event = { type: 'api_key.deleted', accountId, actorId: accountId, origin, details } as const;
      await recordAuditEvent(transaction, event);
    });
  }

  /** Locks the account, so that keys made at the same time are all counted. Throws 409 at the limit. */
  private async requireRoom(transaction: Transaction, accountId: string): Promise<void> {
    await lockAccount(transaction, accountId);
    if ((await countApiKeys(transaction, accountId)) >= MAX_API_KEYS)
      throw new ConflictException(`an account has at most ${MAX_API_KEYS} API keys; delete one first`);
  }
}

import {
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { createApiKey, hashSecretKey } from '@inference/guards';
import { Database, newId, type Sql } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { SessionsService } from '../sessions/sessions.service';
import { lockAccount } from '../accounts/credentials';
import { type Actor } from '../audit-log/actor';
import { recordAuditEvent } from '../audit-log/audit-log';
import { API_KEYS_CONFIG, type ApiKeysConfig } from './api-keys.config';
import { type ApiKeyResponse, type CreateApiKeyDto, type CreatedApiKeyResponse } from './api-keys.dto';

export const MAX_API_KEYS = 100;

interface Row {
  id: string;
  name: string;
  prefix: string;
  created_at: Date;
  last_used_at: Date | null;
  spend_limit_picos: bigint | null;
  allowed_models: string[] | null;
}

const INSERT = `
  INSERT INTO accounts.api_keys (id, account_id, name, prefix, key_hash, spend_limit_picos, allowed_models)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  RETURNING id, name, prefix, created_at, last_used_at, spend_limit_picos, allowed_models`;
const LIST = `
  SELECT id, name, prefix, created_at, last_used_at, spend_limit_picos, allowed_models FROM accounts.api_keys
  WHERE account_id = $1 AND deleted_at IS NULL ORDER BY created_at DESC, id DESC`;
/** The row stays, because usage refers to it. A trigger notifies every service. */
const DELETE = `
  UPDATE accounts.api_keys SET deleted_at = now(), key_hash = NULL
  WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`;

function view(row: Row): ApiKeyResponse {
  const limit = row.spend_limit_picos;
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    spend_limit: limit === null ? null : exactNumber(picosToDecimal(limit)),
    allowed_models: row.allowed_models,
  };
}

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    @Inject(API_KEYS_CONFIG) private readonly config: ApiKeysConfig,
    private readonly sessions: SessionsService,
  ) {}

  /** Makes a key and its budget. Only this view contains the key itself. */
  async create(
    { accountId, sessionId, origin }: Actor,
    input: CreateApiKeyDto,
  ): Promise<CreatedApiKeyResponse> {
    const { key, prefix } = createApiKey();
    const hash = hashSecretKey(key, this.config.hashSecret);
    const spendLimitPicos = input.spend_limit ?? null;
    const row = await this.database.transaction(async (client) => {
      await this.requireRoom(client, accountId);
      // The session may have ended while this transaction waited for the lock of the account.
      if (!(await this.sessions.hold(client, { accountId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      const id = newId('key');
      const { rows } = await client.query<Row>(INSERT, [
        id,
        accountId,
        input.name,
        prefix,
        hash,
        spendLimitPicos,
        input.allowed_models ?? null,
      ]);
      await client.query(
        'INSERT INTO wallet.key_budgets (api_key_id, account_id, limit_picos) VALUES ($1, $2, $3)',
        [id, accountId, spendLimitPicos],
      );
      const details = { api_key_id: id, prefix };
      await recordAuditEvent(client, {
        type: 'api_key.created',
        accountId,
        actorId: accountId,
        origin,
        details,
      });
      return rows[0]!;
    });
    const { last_used_at: _neverUsed, id, name, ...shown } = view(row);
    return { id, name, key, ...shown };
  }

  async list(accountId: string): Promise<ApiKeyResponse[]> {
    const { rows } = await this.database.query<Row>(LIST, [accountId]);
    return rows.map(view);
  }

  async delete({ accountId, origin }: Actor, id: string): Promise<void> {
    await this.database.transaction(async (client) => {
      const deleted = (await client.query(DELETE, [id, accountId])).rowCount === 1;
      if (!deleted) throw new NotFoundException('no such API key');
      const details = { api_key_id: id };
      await recordAuditEvent(client, {
        type: 'api_key.deleted',
        accountId,
        actorId: accountId,
        origin,
        details,
      });
    });
  }

  /** Locks the account, so that keys made at the same time are all counted. Throws 409 at the limit. */
  private async requireRoom(sql: Sql, accountId: string): Promise<void> {
    await lockAccount(sql, accountId);
    const { rows } = await sql.query<{ count: bigint }>(
      'SELECT count(*) FROM accounts.api_keys WHERE account_id = $1 AND deleted_at IS NULL',
      [accountId],
    );
    if (rows[0]!.count >= BigInt(MAX_API_KEYS)) {
      throw new ConflictException(`an account has at most ${MAX_API_KEYS} API keys; delete one first`);
    }
  }
}

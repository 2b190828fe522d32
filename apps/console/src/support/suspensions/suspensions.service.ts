import { Database } from '@inference/database';
import { type ApiKey } from '@inference/guards';
import { exactNumber, picosToDecimal } from '@inference/money';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { type AdminAccountResponse, suspensionOf } from '../../accounts/accounts.dto';
import { readAccount } from '../../accounts/accounts.repository';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { AdminAccountsService } from '../../identity/admin-accounts/admin-accounts.service';
import { type ReactivateDto, type SupportApiKeyResponse, type SuspendDto } from './suspensions.dto';
import { listAllKeys, lockedAccount, lockedKey, suspendAccount, suspendKey } from './suspensions.repository';

/** Chosen: ten times as many keys as an account may have at once. */
const MAX_LISTED_KEYS = 1_000;

const noSuchAccount = () => new NotFoundException('no such account');
const noSuchKey = () => new NotFoundException('no such API key');

function keyView(key: ApiKey): SupportApiKeyResponse {
  return {
    id: key.id,
    kind: key.kind,
    created_by_key: key.createdBy,
    name: key.name,
    prefix: key.prefix,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    deleted_at: key.deletedAt?.toISOString() ?? null,
    spend_limit: key.spendLimitPicos === null ? null : exactNumber(picosToDecimal(key.spendLimitPicos)),
    allowed_models: key.allowedModels,
    suspension: suspensionOf(key),
  };
}

/** Shuts accounts and API keys out of all services, and lets them in again. Nothing of them is lost. */
@Injectable()
export class SuspensionsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AdminAccountsService,
  ) {}

  /** Changes the texts of one that is suspended. Throws 404 for an unknown account, 409 for one of staff. */
  async suspend(staff: Actor, id: string, { reason, message }: SuspendDto): Promise<AdminAccountResponse> {
    const texts = { reason, message: message || null };
    await this.database.transaction(async (transaction) => {
      const account = await lockedAccount(transaction, id);
      if (!account) throw noSuchAccount();
      if (account.role !== 'user')
        throw new ConflictException('the account is one of staff: take its role away first');
      await suspendAccount(transaction, id, texts);
      await recordAuditEvent(transaction, {
        ...{ type: 'account.suspended', accountId: id, actorId: staff.accountId, origin: staff.origin },
        details: texts,
      });
    });
    return this.accounts.read(id);
  }

  /** Changes nothing if the account is not suspended. Throws 404 for an unknown account. */
  async reactivate(staff: Actor, id: string, { reason }: ReactivateDto): Promise<AdminAccountResponse> {
    await this.database.transaction(async (transaction) => {
      const account = await lockedAccount(transaction, id);
      if (!account) throw noSuchAccount();
      if (!account.suspendedAt) return;
      await suspendAccount(transaction, id, null);
      await recordAuditEvent(transaction, {
        ...{ type: 'account.reactivated', accountId: id, actorId: staff.accountId, origin: staff.origin },
        details: { reason },
      });
    });
    return this.accounts.read(id);
  }

  /** Throws 404 for an unknown account. */
  async listKeys(accountId: string): Promise<SupportApiKeyResponse[]> {
    if (!(await readAccount(this.database, accountId))) throw noSuchAccount();
    return (await listAllKeys(this.database, accountId, MAX_LISTED_KEYS)).map(keyView);
  }

  /** Throws 404 unless the account has the key. */
  async suspendKey(
    staff: Actor,
    key: { accountId: string; id: string },
    { reason, message }: SuspendDto,
  ): Promise<SupportApiKeyResponse> {
    const texts = { reason, message: message || null };
    const changed = await this.database.transaction(async (transaction) => {
      const found = await lockedKey(transaction, key);
      if (!found) throw noSuchKey();
      await suspendKey(transaction, key, texts);
      await recordAuditEvent(transaction, {
        ...{ type: 'api_key.suspended', accountId: key.accountId, actorId: staff.accountId },
        origin: staff.origin,
        details: { api_key_id: key.id, prefix: found.prefix, ...texts },
      });
      return lockedKey(transaction, key);
    });
    return keyView(changed!);
  }

  /** Changes nothing if the key is not suspended. Throws 404 unless the account has the key. */
  async reactivateKey(
    staff: Actor,
    key: { accountId: string; id: string },
    { reason }: ReactivateDto,
  ): Promise<SupportApiKeyResponse> {
    const changed = await this.database.transaction(async (transaction) => {
      const found = await lockedKey(transaction, key);
      if (!found) throw noSuchKey();
      if (!found.suspendedAt) return found;
      await suspendKey(transaction, key, null);
      await recordAuditEvent(transaction, {
        ...{ type: 'api_key.reactivated', accountId: key.accountId, actorId: staff.accountId },
        origin: staff.origin,
        details: { api_key_id: key.id, prefix: found.prefix, reason },
      });
      return lockedKey(transaction, key);
    });
    return keyView(changed!);
  }
}

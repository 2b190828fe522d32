import { ConflictException, ForbiddenException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type Role } from '@inference/guards';
import { Database } from '@inference/database';
import { readPage } from '@inference/http';
import { type AccountProfile, listAccounts, lockAdmins, readAccount, setRole } from './accounts.repository';
import { normalizeIdentifier } from './identifier';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type Actor } from '../audit-log/actor';
import { recordAuditEvent } from '../audit-log/audit-log';
import { type AccountListResponse, type AccountResponse, type AccountsQuery } from './accounts.dto';

function view(account: AccountProfile): AccountResponse {
  const { id, email, emailVerified, phone, username, role, twoFactor, createdAt } = account;
  return {
    id,
    email,
    email_verified: emailVerified,
    phone,
    username,
    role,
    two_factor_enabled: twoFactor,
    created_at: createdAt.toISOString(),
  };
}

@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  async list({ identifier, ...query }: AccountsQuery): Promise<AccountListResponse> {
    const wanted = identifier === undefined ? null : normalizeIdentifier(identifier, this.site.site);
    const { rows, nextCursor } = await readPage(`accounts ${wanted ?? ''}`, query, (after, count) =>
      listAccounts(this.database, wanted, after, count),
    );
    return { accounts: rows.map(view), next_cursor: nextCursor };
  }

  async setRole(
    { accountId: adminId, origin }: Actor,
    accountId: string,
    role: Role,
  ): Promise<AccountResponse> {
    const account = await this.database.transaction(async (transaction) => {
      const admins = await lockAdmins(transaction, accountId);
      // The caller may have lost the role while it waited for the lock.
      if (!admins.includes(adminId))
        throw new ForbiddenException('this account does not have the required role');
      if (role !== 'admin' && admins.length === 1 && admins[0] === accountId)
        throw new ConflictException('the last admin must keep the role');
      const before = await setRole(transaction, accountId, role);
      if (before === null) throw new NotFoundException('no such account');
      if (before !== role)
        await recordAuditEvent(transaction, {
          type: 'account.role_changed',
          accountId,
          actorId: adminId,
          origin,
          details: { from: before, to: role },
        });
      return readAccount(transaction, accountId);
    });
    return view(account!);
  }
}

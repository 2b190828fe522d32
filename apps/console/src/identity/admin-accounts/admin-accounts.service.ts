import { type Currency } from '@inference/config';
import { Database, type Transaction } from '@inference/database';
import { type Role } from '@inference/guards';
import { readPage } from '@inference/http';
import { exactNumber, picosToDecimal } from '@inference/money';
import { readWallets } from '@inference/wallet';
import { ConflictException, ForbiddenException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import {
  type AccountListResponse,
  type AccountsQuery,
  type AdminAccountResponse,
  suspensionOf,
} from '../../accounts/accounts.dto';
import {
  type AccountProfile,
  accountSearch,
  listAccounts,
  lockAdmins,
  readAccount,
  setRole,
} from '../../accounts/accounts.repository';
import { type Actor, type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { roleAtVersion } from '../../accounts/credentials.repository';
import { normalizeIdentifier } from '../../accounts/identifier';
import { queueSecurityMail } from '../../notifications/mail/outbox';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { AdminConfirmationService } from '../second-factor/admin-confirmation.service';
import { type ChangeRoleDto } from './admin-accounts.dto';

function view(account: AccountProfile, balancePicos: bigint, currency: Currency): AdminAccountResponse {
  const { id, email, emailVerified, phone, username, role, twoFactor, createdAt } = account;
  return {
    id,
    email,
    email_verified: emailVerified,
    phone,
    username,
    role,
    two_factor_enabled: twoFactor,
    balance: exactNumber(picosToDecimal(balancePicos)),
    currency,
    created_at: createdAt.toISOString(),
    suspension: suspensionOf(account),
  };
}

@Injectable()
export class AdminAccountsService {
  constructor(
    private readonly database: Database,
    private readonly confirmation: AdminConfirmationService,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  async list({ identifier, search, ids, ...query }: AccountsQuery): Promise<AccountListResponse> {
    const filter = {
      ...(identifier !== undefined && { identifier: normalizeIdentifier(identifier, this.site.site) }),
      ...(search !== undefined && { search: accountSearch(search) }),
      ...(ids !== undefined && { ids: ids.split(',') }),
    };
    const list = `accounts ${JSON.stringify(filter)}`;
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listAccounts(this.database, filter, after, count),
    );
    return { accounts: await this.views(rows), next_cursor: nextCursor };
  }

  /** Throws 404 for an unknown account. */
  async read(id: string): Promise<AdminAccountResponse> {
    const account = await readAccount(this.database, id);
    if (!account) throw new NotFoundException('no such account');
    return (await this.views([account]))[0]!;
  }

  /**
   * Throws 403 if the admin's password or code is wrong, 404 for an unknown account, 409 if no admin would be left or the account
   * would become staff without a confirmed address.
   */
  async setRole(
    admin: Actor,
    accountId: string,
    { role, ...confirmation }: ChangeRoleDto,
  ): Promise<AdminAccountResponse> {
    const { accountId: adminId, origin } = admin;
    const confirmed = await this.confirmation.confirm(admin, confirmation);
    const account = await this.database.transaction(async (transaction) => {
      const admins = await lockAdmins(transaction, accountId);
      // The caller may have lost the role, or the password may have changed, while this waited for the lock.
      if ((await roleAtVersion(transaction, adminId, confirmed.credentialsVersion)) !== 'admin')
        throw new ForbiddenException('this account does not have the required role');
      if (role !== 'admin' && admins.length === 1 && admins[0] === accountId)
        throw new ConflictException('the last admin must keep the role');
      await requireConfirmedAddress(transaction, accountId, role);
      const before = await setRole(transaction, accountId, role);
      if (before === null) throw new NotFoundException('no such account');
      if (before !== role && role === 'admin')
        await announceAdmin(transaction, { accountId, appointedBy: confirmed.email, origin });
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
    return (await this.views([account!]))[0]!;
  }

  private async views(accounts: AccountProfile[]): Promise<AdminAccountResponse[]> {
    const wallets = await readWallets(
      this.database,
      accounts.map(({ id }) => id),
    );
    const balances = new Map(wallets.map(({ accountId, balancePicos }) => [accountId, balancePicos]));
    return accounts.map((account) => view(account, balances.get(account.id) ?? 0n, this.site.currency));
  }
}

/** Anybody can register an address before its owner does. Throws 409 if such an account would become staff. */
async function requireConfirmedAddress(
  transaction: Transaction,
  accountId: string,
  role: Role,
): Promise<void> {
  if (role === 'user') return;
  if ((await readAccount(transaction, accountId))?.emailVerified === false)
    throw new ConflictException('the e-mail address of the account is not confirmed');
}

/**
 * Tells all admins of a new one by mail, also the new one, in the transaction that makes it an admin. The first admin of a site is not
 * announced.
 *
 * @param appointedBy address of the admin who acts, or name of the provider whose group decides; null for an operator's command, which
 *   has no origin either
 */
export async function announceAdmin(
  transaction: Transaction,
  {
    accountId,
    appointedBy,
    origin,
  }: { accountId: string; appointedBy: string | null; origin: Origin | null },
): Promise<void> {
  // The locks make it name every admin that another transaction is appointing.
  const adminIds = await lockAdmins(transaction, accountId);
  const account = await readAccount(transaction, accountId);
  if (!account || adminIds.length < 2) return;
  const facts = { admin: { email: account.email, appointedBy } };
  for (const adminId of adminIds)
    await queueSecurityMail(transaction, 'admin_appointed', adminId, origin, facts);
}

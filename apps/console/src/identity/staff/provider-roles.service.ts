import { Database } from '@inference/database';
import { type Role, type StaffRole } from '@inference/guards';
import { Injectable, Logger } from '@nestjs/common';
import { lockAdmins, readAccount, setRole } from '../../accounts/accounts.repository';
import { type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { announceAdmin } from '../admin-accounts/admin-accounts.service';
import { type OAuthProvider } from '../identity.config';
import { providerOfRole } from './staff.repository';

/** Gives staff the roles of their groups at an OpenID provider, at each sign-in. */
@Injectable()
export class ProviderRolesService {
  private readonly logger = new Logger(ProviderRolesService.name);

  constructor(private readonly database: Database) {}

  /**
   * The first configured group that the person is in decides. A person in none keeps a role that somebody gave by hand, and loses one
   * that this provider gave. The last admin stays one.
   *
   * @param groups what the provider names
   */
  async apply(
    { name, staff_roles: roles }: OAuthProvider,
    accountId: string,
    groups: readonly string[],
    origin: Origin,
  ): Promise<void> {
    if (roles.length === 0) return;
    const given: StaffRole | null = roles.find(({ group }) => groups.includes(group))?.role ?? null;
    await this.database.transaction(async (transaction) => {
      const admins = await lockAdmins(transaction, accountId);
      const account = await readAccount(transaction, accountId);
      if (!account) return;
      const isOurs = (await providerOfRole(transaction, accountId)) === name;
      const role: Role = given ?? (isOurs ? 'user' : account.role);
      if (role === account.role) return;
      if (role !== 'user' && !account.emailVerified) return;
      if (account.role === 'admin' && admins.length === 1) {
        this.logger.warn(`${name}: the last admin keeps the role, although the groups give another one`);
        return;
      }
      await setRole(transaction, accountId, role);
      if (role === 'admin') await announceAdmin(transaction, { accountId, appointedBy: name, origin });
      await recordAuditEvent(transaction, {
        type: 'account.role_changed',
        accountId,
        actorId: null,
        origin,
        details: { from: account.role, to: role, provider: name },
      });
    });
  }
}

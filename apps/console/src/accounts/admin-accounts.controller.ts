import { Controller, Get, Header, HttpCode, Param, Post, Put } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { ValidBody, ValidQuery } from '@inference/http';
import { type Actor, CurrentActor } from '../events/actor';
import {
  accountsQuery,
  type AccountsQuery,
  type AccountView,
  type Reassurance,
  reassurance,
  roleChange,
  type RoleChange,
} from './accounts.dto';
import { CredentialAttempt } from '../rate-limit/rate-limits';
import { TwoFactorService } from '../two-factor/two-factor.service';
import { AdminAccountsService } from './admin-accounts.service';

@Controller('api/admin/accounts')
@Roles('admin')
export class AdminAccountsController {
  constructor(
    private readonly accounts: AdminAccountsService,
    private readonly twoFactor: TwoFactorService,
  ) {}

  /** `{accounts, next_cursor}`, newest first; `identifier` finds the one account that signs in with it. */
  @Get()
  @Header('Cache-Control', 'no-store')
  list(
    @ValidQuery(accountsQuery) query: AccountsQuery,
  ): Promise<{ accounts: AccountView[]; next_cursor: string | null }> {
    return this.accounts.list(query);
  }

  /** `{role}` → the account; 404 for an unknown one, 409 when no admin would be left. In force at once. */
  @Put(':id/role')
  @Header('Cache-Control', 'no-store')
  setRole(
    @CurrentActor() admin: Actor,
    @Param('id') id: string,
    @ValidBody(roleChange) { role }: RoleChange,
  ): Promise<AccountView> {
    return this.accounts.setRole(admin, id, role);
  }

  /**
   * `{password}`, the admin's own → 204: for somebody else who has lost the second factor; 403 for a wrong password or
   * the own account, 404 for an unknown one, 409 when it has none.
   */
  @Post(':id/2fa/disable')
  @HttpCode(204)
  @CredentialAttempt()
  disableTwoFactor(
    @CurrentActor() admin: Actor,
    @Param('id') id: string,
    @ValidBody(reassurance) { password }: Reassurance,
  ): Promise<void> {
    return this.twoFactor.disableFor(id, admin, password);
  }
}

import { Controller, Get, Header, Param, Put } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { ValidBody, ValidQuery } from '@inference/http';
import { type Actor, CurrentActor } from '../audit-log/actor';
import {
  accountsQuery,
  type AccountsQuery,
  type AccountView,
  roleChange,
  type RoleChange,
} from './accounts.dto';
import { AdminAccountsService } from './admin-accounts.service';

@Controller('api/admin/accounts')
@Roles('admin')
export class AdminAccountsController {
  constructor(private readonly accounts: AdminAccountsService) {}

  /** → `{accounts, next_cursor}`, newest first. `identifier` finds the one account that signs in with it. */
  @Get()
  @Header('Cache-Control', 'no-store')
  list(
    @ValidQuery(accountsQuery) query: AccountsQuery,
  ): Promise<{ accounts: AccountView[]; next_cursor: string | null }> {
    return this.accounts.list(query);
  }

  /** `{role}` → the account. 404 for an unknown one, 409 if no admin would be left. Takes effect at once. */
  @Put(':id/role')
  @Header('Cache-Control', 'no-store')
  setRole(
    @CurrentActor() admin: Actor,
    @Param('id') id: string,
    @ValidBody(roleChange) { role }: RoleChange,
  ): Promise<AccountView> {
    return this.accounts.setRole(admin, id, role);
  }
}

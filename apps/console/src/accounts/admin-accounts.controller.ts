import { Controller, Get, Header, Param, Put } from '@nestjs/common';
import { type Caller, CurrentCaller, Roles } from '@inference/credentials';
import { ValidBody, ValidQuery } from '@inference/http';
import { type Origin, RequestOrigin } from '../events/request-origin';
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
    @CurrentCaller() admin: Caller,
    @Param('id') id: string,
    @ValidBody(roleChange) { role }: RoleChange,
    @RequestOrigin() origin: Origin,
  ): Promise<AccountView> {
    return this.accounts.setRole(admin.accountId, id, role, origin);
  }
}

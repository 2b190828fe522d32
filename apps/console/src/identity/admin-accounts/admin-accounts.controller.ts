import { StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Get, Header, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import {
  AccountListResponse,
  AccountPath,
  AccountsQuery,
  AdminAccountResponse,
} from '../../accounts/accounts.dto';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { CredentialAttempt } from '../../rate-limit/rate-limits';
import { ChangeRoleDto } from './admin-accounts.dto';
import { AdminAccountsService } from './admin-accounts.service';

const COLUMNS =
  'id email email_verified phone username role two_factor_enabled balance currency created_at'.split(' ');

@Controller('api/admin/accounts')
@ApiTags('Administration of accounts')
@StaffOnly()
export class AdminAccountsController {
  constructor(private readonly accounts: AdminAccountsService) {}

  @Get()
  @ApiOperation({ operationId: 'listAccounts', summary: 'Lists all accounts of the site, newest first.' })
  @ListOrCsv({
    description: 'A page of accounts.',
    type: AccountListResponse,
    rows: 'accounts',
    columns: COLUMNS,
  })
  list(@Query() query: AccountsQuery): Promise<AccountListResponse> {
    return this.accounts.list(query);
  }

  @Get(':id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'getAccount', summary: 'Returns an account with its balance.' })
  @ApiOkResponse({ description: 'The account.', type: AdminAccountResponse })
  @ApiErrors({ 404: 'There is no such account.' })
  read(@Param() { id }: AccountPath): Promise<AdminAccountResponse> {
    return this.accounts.read(id);
  }

  @Put(':id/role')
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'changeRole',
    summary: 'Gives an account a role.',
    description:
      'Asks for the admin’s own password, or a code of the second factor instead. The role takes effect at once, also in the sessions of the account. A mail tells all admins of a new one.',
  })
  @ApiOkResponse({ description: 'The account with its new role.', type: AdminAccountResponse })
  @ApiErrors({
    403: 'The caller is not an admin, or the password or code is wrong. An admin without a password has to sign in again first.',
    404: 'There is no such account.',
    409: 'No admin would be left, or staff would have an e-mail address that is not confirmed.',
  })
  changeRole(
    @CurrentActor() admin: Actor,
    @Param() { id }: AccountPath,
    @Body() body: ChangeRoleDto,
  ): Promise<AdminAccountResponse> {
    return this.accounts.setRole(admin, id, body);
  }
}

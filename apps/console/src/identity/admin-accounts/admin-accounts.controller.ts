import { Body, Controller, Get, Header, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { type Actor, CurrentActor } from '../../audit-log/actor';
import {
  AccountListResponse,
  AccountPath,
  AdminAccountResponse,
  AccountsQuery,
  ChangeRoleDto,
} from '../accounts.dto';
import { AdminAccountsService } from './admin-accounts.service';

@Controller('api/admin/accounts')
@ApiTags('Administration of accounts')
@Roles('admin')
export class AdminAccountsController {
  constructor(private readonly accounts: AdminAccountsService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'listAccounts', summary: 'Lists all accounts of the site, newest first.' })
  @ApiOkResponse({ description: 'A page of accounts.', type: AccountListResponse })
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
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'changeRole',
    summary: 'Gives an account a role.',
    description: 'The role takes effect at once, also in the sessions of the account.',
  })
  @ApiOkResponse({ description: 'The account with its new role.', type: AdminAccountResponse })
  @ApiErrors({ 404: 'There is no such account.', 409: 'No admin would be left.' })
  changeRole(
    @CurrentActor() admin: Actor,
    @Param() { id }: AccountPath,
    @Body() { role }: ChangeRoleDto,
  ): Promise<AdminAccountResponse> {
    return this.accounts.setRole(admin, id, role);
  }
}

import { StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { AccountPath, AdminAccountResponse } from '../../accounts/accounts.dto';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import {
  AccountKeyPath,
  ReactivateDto,
  SupportApiKeyListResponse,
  SupportApiKeyResponse,
  SuspendDto,
} from './suspensions.dto';
import { SuspensionsService } from './suspensions.service';

const NO_ACCOUNT = { 404: 'There is no such account.' };
const NO_KEY = { 404: 'The account has no such key, or it is deleted.' };

@Controller('api/admin/accounts/:id')
@ApiTags('Support')
@StaffOnly()
export class SuspensionsController {
  constructor(private readonly suspensions: SuspensionsService) {}

  @Post('suspend')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'suspendAccount',
    summary: 'Shuts an account out of all services.',
    description:
      'Within a second its sessions and API keys get 403 `account_suspended` everywhere; streams that run end with an error within five seconds and cost what was produced. Nothing is lost: pending payments are still credited. For a suspended account it changes the texts.',
  })
  @ApiOkResponse({ description: 'The suspended account.', type: AdminAccountResponse })
  @ApiErrors({ ...NO_ACCOUNT, 409: 'The account is one of staff.' })
  suspend(
    @CurrentActor() staff: Actor,
    @Param() { id }: AccountPath,
    @Body() body: SuspendDto,
  ): Promise<AdminAccountResponse> {
    return this.suspensions.suspend(staff, id, body);
  }

  @Post('reactivate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'reactivateAccount',
    summary: 'Lets a suspended account in again.',
    description: 'Its sessions and keys work as before. Changes nothing if the account is not suspended.',
  })
  @ApiOkResponse({ description: 'The account.', type: AdminAccountResponse })
  @ApiErrors(NO_ACCOUNT)
  reactivate(
    @CurrentActor() staff: Actor,
    @Param() { id }: AccountPath,
    @Body() body: ReactivateDto,
  ): Promise<AdminAccountResponse> {
    return this.suspensions.reactivate(staff, id, body);
  }

  @Get('keys')
  @ApiOperation({
    operationId: 'listApiKeysOfAccount',
    summary: 'Lists the API keys of an account, newest first.',
  })
  @ListOrCsv({
    description: 'The keys.',
    type: SupportApiKeyListResponse,
    rows: 'keys',
    columns:
      'id kind name prefix created_by_key created_at last_used_at deleted_at spend_limit allowed_models suspension.suspended_at suspension.reason suspension.message'.split(
        ' ',
      ),
  })
  @ApiErrors(NO_ACCOUNT)
  async listKeys(@Param() { id }: AccountPath): Promise<SupportApiKeyListResponse> {
    return { keys: await this.suspensions.listKeys(id) };
  }

  @Post('keys/:keyId/suspend')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'suspendApiKey',
    summary: 'Shuts an API key out of all services, such as one that has leaked.',
    description:
      'Calls with it get 401 within a second, and streams that run with it end with an error within five seconds. Its owner sees that it is suspended, and the text. For a suspended key it changes the texts.',
  })
  @ApiOkResponse({ description: 'The suspended key.', type: SupportApiKeyResponse })
  @ApiErrors(NO_KEY)
  suspendKey(
    @CurrentActor() staff: Actor,
    @Param() { id: accountId, keyId: id }: AccountKeyPath,
    @Body() body: SuspendDto,
  ): Promise<SupportApiKeyResponse> {
    return this.suspensions.suspendKey(staff, { accountId, id }, body);
  }

  @Post('keys/:keyId/reactivate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'reactivateApiKey', summary: 'Lets a suspended API key in again.' })
  @ApiOkResponse({ description: 'The key.', type: SupportApiKeyResponse })
  @ApiErrors(NO_KEY)
  reactivateKey(
    @CurrentActor() staff: Actor,
    @Param() { id: accountId, keyId: id }: AccountKeyPath,
    @Body() body: ReactivateDto,
  ): Promise<SupportApiKeyResponse> {
    return this.suspensions.reactivateKey(staff, { accountId, id }, body);
  }
}

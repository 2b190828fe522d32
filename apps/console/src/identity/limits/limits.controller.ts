import { type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { AccountPath } from '../../accounts/accounts.dto';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import {
  AccountLimitsResponse,
  LimitHistoryQuery,
  LimitHistoryResponse,
  LimitsResponse,
  OverrideQuery,
  SetOverrideDto,
} from './limits.dto';
import { LimitsService } from './limits.service';

const HISTORY_DESCRIPTION =
  'What gateways have admitted is there after about ten seconds. Days are kept for 92 days.';

@Controller('api/limits')
@ApiTags('Limits')
export class LimitsController {
  constructor(private readonly limits: LimitsService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'readLimits',
    summary: 'Reads how fast the account and its keys may call models, and what they use of it.',
  })
  @ApiOkResponse({ description: 'The limits.', type: LimitsResponse })
  read(@CurrentCaller() caller: Caller): Promise<LimitsResponse> {
    return this.limits.read(caller.accountId);
  }

  @Get('history')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'readLimitHistory',
    summary: 'Reads how much of their limits the account and its keys have used on each day.',
    description: HISTORY_DESCRIPTION,
  })
  @ApiOkResponse({ description: 'The days on which something was used.', type: LimitHistoryResponse })
  readHistory(
    @CurrentCaller() caller: Caller,
    @Query() query: LimitHistoryQuery,
  ): Promise<LimitHistoryResponse> {
    return this.limits.readHistory(caller.accountId, query);
  }
}

@Controller('api/admin/accounts/:id/limits')
@ApiTags('Administration of accounts')
@StaffOnly()
export class AdminLimitsController {
  constructor(private readonly limits: LimitsService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'readAccountLimits', summary: 'Reads the limits of an account.' })
  @ApiOkResponse({ description: 'The limits.', type: AccountLimitsResponse })
  @ApiErrors({ 404: 'There is no such account.' })
  read(@Param() { id }: AccountPath): Promise<AccountLimitsResponse> {
    return this.limits.readForStaff(id);
  }

  @Get('history')
  @ApiOperation({
    operationId: 'readAccountLimitHistory',
    summary: 'Reads how much of its limits an account has used on each day.',
    description: HISTORY_DESCRIPTION,
  })
  @ListOrCsv({
    description: 'The days on which something was used.',
    type: LimitHistoryResponse,
    rows: 'limits',
    each: 'days',
    columns: 'scope model api_key_id name days.day days.limit days.used days.refusals'.split(' '),
  })
  @ApiErrors({ 404: 'There is no such account.' })
  readHistory(
    @Param() { id }: AccountPath,
    @Query() query: LimitHistoryQuery,
  ): Promise<LimitHistoryResponse> {
    return this.limits.readHistoryForStaff(id, query);
  }

  @Put()
  @ApiOperation({
    operationId: 'setAccountLimits',
    summary: 'Sets limits of an account for a model, in place of those of its tier.',
    description: 'Replaces what staff has set for the model before. Every gateway obeys within two seconds.',
  })
  @ApiOkResponse({ description: 'The limits.', type: AccountLimitsResponse })
  @ApiErrors({ 404: 'There is no such account.' })
  set(
    @CurrentActor() admin: Actor,
    @Param() { id }: AccountPath,
    @Body() body: SetOverrideDto,
  ): Promise<AccountLimitsResponse> {
    return this.limits.set(admin, id, body);
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({
    operationId: 'removeAccountLimits',
    summary: 'Lets the limits of the tier hold again.',
  })
  @ApiNoContentResponse({ description: 'The limits of the tier hold.' })
  @ApiErrors({ 404: 'Staff has set no limits of this account and model.' })
  remove(
    @CurrentActor() admin: Actor,
    @Param() { id }: AccountPath,
    @Query() { model }: OverrideQuery,
  ): Promise<void> {
    return this.limits.remove(admin, id, model);
  }
}

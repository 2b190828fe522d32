import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { type Request, type Response } from 'express';
import { AccountPath } from '../../identity/accounts/accounts.dto';
import { ApiUsageResponse, usageAnswer } from './usage-answer';
import { UsageQuery, type UsageResponse } from './usage.dto';
import { UsageService } from './usage.service';

@Controller('api/admin/accounts')
@ApiTags('Administration of accounts')
@Roles('admin')
export class AdminUsageController {
  constructor(private readonly usage: UsageService) {}

  @Get(':id/usage')
  @ApiOperation({
    operationId: 'getUsageOfAccount',
    summary: 'Returns the usage of an account and its cost, as the account itself sees it.',
    description: 'With `Accept: text/csv`, the same rows come as CSV.',
  })
  @ApiUsageResponse()
  @ApiErrors({ 404: 'There is no such account.' })
  async read(
    @Param() { id }: AccountPath,
    @Query() query: UsageQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UsageResponse | string> {
    const usage = await this.usage.readOfAccount(id, query);
    return usageAnswer(query, usage, { request, response });
  }
}

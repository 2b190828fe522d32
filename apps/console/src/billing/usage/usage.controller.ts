import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { type Request, type Response } from 'express';
import { ApiUsageResponse, usageAnswer } from './usage-answer';
import { UsageQuery, type UsageResponse } from './usage.dto';
import { UsageService } from './usage.service';

@Controller('api/billing/usage')
@ApiTags('Wallet')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @ApiOperation({
    operationId: 'getUsage',
    summary: 'Returns the account’s usage and its cost by hour, day or month, oldest first.',
    description: 'With `Accept: text/csv`, the same rows come as CSV.',
  })
  @ApiUsageResponse()
  async read(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: UsageQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UsageResponse | string> {
    const usage = await this.usage.read(accountId, query);
    return usageAnswer(query, usage, { request, response });
  }
}

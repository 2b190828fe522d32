import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { UsageQuery, UsageResponse } from './usage.dto';
import { UsageService } from './usage.service';

@Controller('api/billing/usage')
@ApiTags('Wallet')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @ApiOperation({
    operationId: 'getUsage',
    summary: 'Returns the account’s usage and its cost by day or hour, oldest first.',
  })
  @ApiOkResponse({ description: 'The usage of the period.', type: UsageResponse })
  async read(@CurrentCaller() { accountId }: Caller, @Query() query: UsageQuery): Promise<UsageResponse> {
    return { usage: await this.usage.read(accountId, query) };
  }
}

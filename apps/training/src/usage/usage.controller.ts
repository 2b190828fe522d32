import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Accepts } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { ApiEnvelope } from '@inference/training-envelope';
import { RecordUsageDto, UsageRecordResponse } from './usage.dto';
import { UsageService } from './usage.service';

/** Usage reports of the trainers, authenticated by their service credential. */
@Controller('v1/internal/usage')
@ApiTags('Usage')
@Accepts('service')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Post()
  @ApiOperation({
    operationId: 'recordUsage',
    summary: 'Records and charges usage of a training, once for an id.',
    description:
      'A repeated report of the same record gets the first answer. A refused report stores nothing.',
  })
  @ApiEnvelope(UsageRecordResponse, { status: 201, description: 'The record and its cost.' })
  @ApiErrors({
    402: 'The wallet does not cover the cost (code 40200), or only with money that is reserved for running requests (40201).',
    403: 'The token quota of the account does not allow so many tokens (code 40301).',
    404: 'There is no such account (code 40401).',
    409: 'The id was used for another record (code 40901).',
    503: 'The database is not available (code 50300), no price of training is published (50301), or no exchange rate to USD is stored (50303).',
  })
  record(@Body() record: RecordUsageDto): Promise<UsageRecordResponse> {
    return this.usage.record(record);
  }
}

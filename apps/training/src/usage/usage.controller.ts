import { Controller, Post } from '@nestjs/common';
import { Accepts } from '@inference/credentials';
import { ValidBody } from '@inference/http';
import { type UsageRecord, usageRecord, type UsageRecordView } from './usage.dto';
import { UsageService } from './usage.service';

/** For the trainers alone, by their own credential. */
@Controller('v1/internal/usage')
@Accepts('service')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  /**
   * `{id, account_id, model, tokens}` → 201 with the record and its cost, the same each time; 402 when the wallet and 403
   * when the quota does not cover it, 404 for an unknown account, 409 for an id that has been used for something else.
   */
  @Post()
  record(@ValidBody(usageRecord) record: UsageRecord): Promise<UsageRecordView> {
    return this.usage.record(record);
  }
}

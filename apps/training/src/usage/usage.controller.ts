import { Controller, Post } from '@nestjs/common';
import { Accepts } from '@inference/guards';
import { ValidBody } from '@inference/http';
import { type UsageRecord, usageRecord, type UsageRecordView } from './usage.dto';
import { UsageService } from './usage.service';

/** Usage reports of the trainers, authenticated by their service credential. */
@Controller('v1/internal/usage')
@Accepts('service')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  /**
   * `{id, account_id, model, tokens}` → 201 with the record and its cost, the same for each repetition. 402 if the wallet does
   * not cover it, 403 if the quota does not, 404 for an unknown account, 409 for an id that was used for another record.
   */
  @Post()
  record(@ValidBody(usageRecord) record: UsageRecord): Promise<UsageRecordView> {
    return this.usage.record(record);
  }
}

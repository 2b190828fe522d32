import { Controller, Get } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { ValidQuery } from '@inference/http';
import { usageQuery, type UsageQuery, type UsageRowView } from './usage.dto';
import { UsageService } from './usage.service';

@Controller('api/billing/usage')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  /** The caller's usage from `from` (included) to `to` (excluded), by day or hour (spec: Billing). */
  @Get()
  async read(
    @CurrentCaller() { accountId }: Caller,
    @ValidQuery(usageQuery) query: UsageQuery,
  ): Promise<{ usage: UsageRowView[] }> {
    return { usage: await this.usage.read(accountId, query) };
  }
}

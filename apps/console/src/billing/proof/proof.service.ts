import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { instantText, startOfMonth } from '@inference/time';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type ProofQuery, type ProofResponse } from './proof.dto';
import { readProofSums } from './proof.repository';
import { RouterCostClient } from './router-cost-client';

const amount = (picos: bigint) => exactNumber(picosToDecimal(picos));

@Injectable()
export class ProofService {
  constructor(
    private readonly database: Database,
    private readonly routerCost: RouterCostClient,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /**
   * The three sums of the account for the closed hours of a period. Closed hours never change, so the service may be asked after
   * the database. Throws 400 for an empty period.
   */
  async read(accountId: string, { from, to, time_zone: timeZone }: ProofQuery): Promise<ProofResponse> {
    const start = from ?? startOfMonth(new Date(), timeZone);
    if (to !== undefined && start >= to) throw new BadRequestException('from: must be before `to`');
    const end = to === undefined ? null : instantText(to);
    const sums = await readProofSums(this.database, accountId, instantText(start), end);
    const { currency } = this.site;
    const { usagePicos, transactionsPicos } = sums;
    const usageUsdPicos = currency === 'USD' ? usagePicos : sums.usageUsdPicos;
    const hasHours = sums.from < sums.to;
    const { state, costUsdPicos } = hasHours
      ? await this.routerCost.readCost(accountId, sums.from, sums.to)
      : ({ state: 'compared', costUsdPicos: 0n } as const);
    return {
      from: hasHours ? sums.from.toISOString() : null,
      to: hasHours ? sums.to.toISOString() : null,
      currency,
      usage: amount(usagePicos),
      transactions: amount(transactionsPicos),
      uncompared_usage: amount(sums.periodUsagePicos - usagePicos),
      transactions_difference: amount(transactionsPicos - usagePicos),
      usage_usd: amount(usageUsdPicos),
      router_cost_state: state,
      router_cost_usd: costUsdPicos === null ? null : amount(costUsdPicos),
      router_cost_difference_usd: costUsdPicos === null ? null : amount(costUsdPicos - usageUsdPicos),
    };
  }
}

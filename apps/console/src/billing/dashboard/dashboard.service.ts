import { Database, type Executor, isDatabaseUnavailable, ReadDatabase } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { exactNumber, picosToDecimal } from '@inference/money';
import { Inject, Injectable } from '@nestjs/common';
import { UpstreamsService } from '../../inference/serving/upstreams.service';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { readMarginOfDays } from './margin.service';
import {
  type DashboardFiguresResponse,
  type DashboardResponse,
  type DashboardUpstreamsResponse,
  type PeriodName,
} from './dashboard.dto';
import { type Period, readLatency, readOthers, readUsage, sumNextHours } from './dashboard.repository';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
const DAYS: Record<PeriodName, number> = { today: 1, '7d': 7, '30d': 30, '90d': 90 };
const TOP = 5;

const money = (picos: bigint) => exactNumber(picosToDecimal(picos));

/** The figures of the site of some days, and of as many days before them. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly database: ReadDatabase,
    private readonly upstreams: UpstreamsService,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** @param now for tests */
  async read(name: PeriodName, now = new Date()): Promise<DashboardResponse> {
    const days = DAYS[name];
    const today = Math.floor(now.getTime() / DAY_MILLIS) * DAY_MILLIS;
    const from = new Date(today - (days - 1) * DAY_MILLIS);
    // The present hour is open, and counts up to now.
    const to = new Date((Math.floor(now.getTime() / HOUR_MILLIS) + 1) * HOUR_MILLIS);
    const back = (at: Date) => new Date(at.getTime() - days * DAY_MILLIS);
    const upstreams = await this.upstreamsNow();
    return this.database.read(async (executor) => {
      const current = await figuresOf(executor, { from, to }, name, true);
      const before = await figuresOf(executor, { from: back(from), to: back(to) }, name, false);
      return {
        currency: this.site.currency,
        current: current.figures,
        before: before.figures,
        margin: await readMarginOfDays(executor, from, new Date(today + DAY_MILLIS)),
        upstreams,
        top_models: current.models.slice(0, TOP).map(({ model, calls, tokens, costPicos }) => ({
          model,
          revenue: money(costPicos),
          calls,
          tokens,
        })),
        top_accounts: current.accounts.map(({ accountId, costPicos }) => ({
          account_id: accountId,
          revenue: money(costPicos),
        })),
      };
    });
  }

  /** From the primary: a replica has the reports of the gateways late or not at all. Null if the primary does not answer. */
  private async upstreamsNow(): Promise<DashboardUpstreamsResponse | null> {
    try {
      const { modelsWithout, ...counts } = await this.upstreams.counts();
      return { ...counts, models_without_upstream: modelsWithout };
    } catch (error) {
      if (isDatabaseUnavailable(error)) return null;
      throw error;
    }
  }
}

async function figuresOf(executor: Executor, period: Period, name: PeriodName, withAccounts: boolean) {
  const { models, accounts, active } = await readUsage(executor, period, withAccounts);
  const others = await readOthers(executor, period);
  const lastHour = { from: new Date(period.to.getTime() - HOUR_MILLIS), to: period.to };
  const { calls, durationMs } = await (name === 'today'
    ? readLatency(executor, lastHour, 'events')
    : readLatency(executor, period, 'days'));
  const figures: DashboardFiguresResponse = {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    revenue: money(models.reduce((sum, { costPicos }) => sum + costPicos, 0n)),
    calls: models.reduce<bigint | null>(
      (sum, model) => (sum === null || model.calls === null ? null : sum + model.calls),
      0n,
    ),
    tokens: models.reduce((sum, { tokens }) => sum + tokens, 0n),
    failed_calls: others.failed,
    refused_calls: others.refused,
    active_accounts: active,
    new_accounts: others.newAccounts,
    failed_payments: others.failedPayments,
    // Milliseconds of days are far below 2 ** 53.
    mean_duration_ms: calls === 0n ? null : Number(durationMs) / Number(calls),
  };
  return { figures, models, accounts };
}

/** Sums the hours of the site when they are closed, and its days. Any number of consoles may run it at once. */
@Injectable()
export class DayFiguresJob {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('sum-days', EVERY_MINUTE, (signal) => this.run(signal));
  }

  async run(signal?: AbortSignal): Promise<void> {
    while (
      !signal?.aborted &&
      (await this.database.transaction((transaction) => sumNextHours(transaction, new Date())))
    );
  }
}

import { type Executor, ReadDatabase } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type MarginFiguresResponse, type MarginQuery, type MarginReportResponse } from './margin.dto';
import { type MarginFigures, readMargin, readMargins, readSummedMargin } from './margin.repository';

const DAY_MILLIS = 86_400_000;
/** Most days of a report. Chosen: two years and their leap day. */
const MAX_DAYS = 731;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
const money = (picos: bigint) => exactNumber(picosToDecimal(picos));

/** What is left of the price of calls when their upstreams are paid. */
@Injectable()
export class MarginService {
  constructor(
    private readonly database: ReadDatabase,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** Throws 400 for a period that is none. */
  async report({ from, to, group_by: group }: MarginQuery): Promise<MarginReportResponse> {
    const now = Date.now();
    const period = {
      from: from ?? `${dayOf(new Date(now)).slice(0, 7)}-01`,
      to: to ?? dayOf(new Date(now + DAY_MILLIS)),
    };
    const [first, end] = [new Date(period.from), new Date(period.to)];
    if (first >= end) throw new BadRequestException('to: must be after from');
    if (end.getTime() - first.getTime() > MAX_DAYS * DAY_MILLIS)
      throw new BadRequestException(`to: must be at most ${MAX_DAYS} days after from`);
    return this.database.read(async (executor) => {
      const rows = await readMargins(executor, first, end, group);
      const total = await readMargin(executor, first, end);
      return {
        currency: this.site.currency,
        ...period,
        total: figuresView(total),
        rows: rows.map((row) => ({ key: row.key, ...figuresView(row) })),
      };
    });
  }
}

/** The margin of whole days of UTC, as the report has it. */
export const readMarginOfDays = async (
  executor: Executor,
  from: Date,
  to: Date,
): Promise<MarginFiguresResponse> => figuresView(await readSummedMargin(executor, from, to));

/** Percent to two decimals, exact before it is rounded to nearest. */
function percentOf(part: bigint, whole: bigint): number | null {
  if (whole === 0n) return null;
  const doubled = (part * 20_000n) / whole;
  return Number((doubled + (doubled < 0n ? -1n : 1n)) / 2n) / 100;
}

function figuresView(figures: MarginFigures): MarginFiguresResponse {
  const { calls, uncostedCalls, revenuePicos, uncostedRevenuePicos, costPicos } = figures;
  const earned = revenuePicos - uncostedRevenuePicos;
  const margin = earned - costPicos;
  const isKnown = calls > uncostedCalls || costPicos > 0n;
  return {
    calls,
    calls_without_cost: uncostedCalls,
    revenue: money(revenuePicos),
    revenue_without_cost: money(uncostedRevenuePicos),
    cost: money(costPicos),
    margin: isKnown ? money(margin) : null,
    margin_percent: isKnown ? percentOf(margin, earned) : null,
  };
}

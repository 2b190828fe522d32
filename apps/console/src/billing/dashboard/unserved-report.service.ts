import { isTooSlow, ReadDatabase } from '@inference/database';
import { BadRequestException, Injectable } from '@nestjs/common';
import { type UnservedReportQuery, type UnservedReportResponse } from './unserved-report.dto';
import { readLoggedSince, readUnservedReport } from './unserved-report.repository';

const DAY_MILLIS = 86_400_000;
const DEFAULT_DAYS = 7;
/** As long as the log keeps calls, and the present day. */
const MOST_DAYS = 31;
/** Chosen: what a person reads. Clients name models as they like, so there may be any number. */
const MOST_ROWS = 1_000;
/** Chosen: staff waits for a report. Measured on two busy cores: a million calls take 2 s by status and code, 7 s by everything at once. */
const MOST_MILLIS = 10_000;

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10);

/** Refused and failed calls of all accounts, as far as gateways have recorded them. */
@Injectable()
export class UnservedReportService {
  constructor(private readonly database: ReadDatabase) {}

  /** Throws 400 for a period that is none, also if there are too many calls to be counted in time. */
  async report(query: UnservedReportQuery): Promise<UnservedReportResponse> {
    const now = Date.now();
    const to = query.to ?? dayOf(now + DAY_MILLIS);
    const from = query.from ?? dayOf(Date.parse(to) - DEFAULT_DAYS * DAY_MILLIS);
    const [first, end] = [new Date(from), new Date(to)];
    if (first >= end) throw new BadRequestException('to: must be after from');
    if (end.getTime() - first.getTime() > MOST_DAYS * DAY_MILLIS)
      throw new BadRequestException(`to: must be at most ${MOST_DAYS} days after from`);
    const { status, error_code: errorCode, model, upstream } = query;
    const filter = { from: first, to: end, status, errorCode, model, upstream };
    try {
      return await this.database.readWithin(MOST_MILLIS, async (executor) => {
        const dimensions = query.group_by ?? ['status', 'error_code'];
        const { rows, calls } = await readUnservedReport(executor, dimensions, filter, MOST_ROWS);
        const since = await readLoggedSince(executor);
        return {
          ...{ from, to, recorded_since: since?.toISOString() ?? null, calls },
          left_out_calls: rows.reduce((left, row) => left - row.calls, calls),
          rows,
        };
      });
    } catch (error) {
      if (isTooSlow(error))
        throw new BadRequestException(
          'from: there are too many calls to be counted since then: choose fewer days',
        );
      throw error;
    }
  }
}

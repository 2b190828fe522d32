import { type Executor } from '@inference/database';
import { type UnservedKind } from '@inference/metering';
import { LOGGED } from './dashboard.repository';
import { type UnservedDimension, type UnservedRowResponse } from './unserved-report.dto';

/** What is undefined does not limit the calls. */
export interface UnservedFilter {
  from: Date;
  /** Excluded. */
  to: Date;
  status: UnservedKind | undefined;
  errorCode: string | undefined;
  model: string | undefined;
  upstream: string | undefined;
}

const COLUMNS: Record<UnservedDimension, string> = {
  day: `to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  status: 'kind',
  error_code: 'error_code',
  model: 'model',
  upstream: 'upstream',
};

/** An account is in one row of the inner sums for each combination, so that accounts are counted without sorting the calls. */
const report = (dimensions: readonly UnservedDimension[]) => {
  const names = dimensions.map((name) => `${name}, `).join('');
  const order = dimensions.includes('day') ? 'day, calls DESC' : 'calls DESC';
  return `
  SELECT * FROM (
    SELECT ${names}sum(calls)::bigint AS calls, count(*) AS accounts, (sum(sum(calls)) OVER ())::bigint AS total
    FROM (
      SELECT ${dimensions.map((name) => `${COLUMNS[name]} AS ${name}, `).join('')}account_id, count(*) AS calls
      FROM metering.unserved_calls
      WHERE occurred_at >= $1 AND occurred_at < $2 AND ($3::text IS NULL OR kind = $3) AND ($4::text IS NULL OR error_code = $4)
        AND ($5::text IS NULL OR model = $5) AND ($6::text IS NULL OR upstream = $6)
      GROUP BY ${dimensions.map((_name, index) => `${index + 1}, `).join('')}account_id
    ) c
    ${dimensions.length > 0 ? `GROUP BY ${dimensions.join(', ')}` : ''}
    ORDER BY sum(calls) DESC${dimensions.map((name) => `, ${name}`).join('')} LIMIT $7
  ) r ORDER BY ${order}${dimensions.map((name) => `, ${name}`).join('')}`;
};

type Row = UnservedRowResponse & { total: bigint };

/** Refused and failed calls of all accounts, those rows with the most calls, and all calls that match. */
export async function readUnservedReport(
  executor: Executor,
  dimensions: readonly UnservedDimension[],
  { from, to, status, errorCode, model, upstream }: UnservedFilter,
  mostRows: number,
): Promise<{ rows: UnservedRowResponse[]; calls: bigint }> {
  const values = [from, to, status ?? null, errorCode ?? null, model ?? null, upstream ?? null, mostRows];
  const { rows } = await executor.query<Row>(report(dimensions), values);
  // Without a dimension there is a row of nothing.
  const found = rows.filter(({ calls }) => calls !== null);
  return { rows: found.map(({ total: _total, ...row }) => row), calls: found[0]?.total ?? 0n };
}

/** The start of the first day of which the log has all calls; null if it has none. */
export async function readLoggedSince(executor: Executor): Promise<Date | null> {
  return (await executor.query<{ since: Date | null }>(LOGGED)).rows[0]?.since ?? null;
}

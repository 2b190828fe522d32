import {
  insertAccount,
  publishPrices,
  publishTrainingPrice,
  REBUILD_MARGINS,
  type TestPool,
  waitFor,
} from '@inference/testing';

const MILLIS_PER_DAY = 86_400_000;

/** The start of a month of UTC, `before` months before the running one. */
export function monthStart(before: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - before));
}

export const daysAfter = (day: Date, days: number): Date => new Date(day.getTime() + days * MILLIS_PER_DAY);

const CREATE_PARTITION = `
  DO $$ DECLARE month timestamp := date_trunc('month', timestamptz '%s' AT TIME ZONE 'UTC'); BEGIN
    EXECUTE format('CREATE TABLE IF NOT EXISTS metering.%I PARTITION OF metering.usage_events FOR VALUES FROM (%L) TO (%L)',
      'usage_events_' || to_char(month, 'YYYY_MM'), month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
  END $$`;

/** Texts that are easily lost: quotes, control characters, all kinds of line ends, other planes of Unicode. */
const MODELS = ['m', 'a "quoted" \\ model', 'Zeilen\n\r\u2028\u2029\u0085', '模型 🧠\u0001'];

/** Usage that was settled in the past, in a ledger that `reconcile` finds clean. */
export class PastUsage {
  private accounts: { accountId: string; apiKeyId: string }[] = [];
  private priceList = 0n;
  private batches = 0;

  private constructor(private readonly pool: TestPool) {}

  static async create(pool: TestPool): Promise<PastUsage> {
    const usage = new PastUsage(pool);
    usage.priceList = await publishPrices(
      pool,
      MODELS.map((slug) => ({ slug, unit: 'per_million_tokens', ratePicos: 10n ** 15n + 1n })),
    );
    await publishTrainingPrice(pool, 11n);
    for (let number = 0; number < 4; number += 1)
      usage.accounts.push(await insertAccount(pool, { balancePicos: 10n ** 34n }));
    return usage;
  }

  /** Settles a batch of usage of all accounts, and of training, as if at this time. */
  async settleAt(at: Date, tokens = 9_007_199_254_740_993n): Promise<void> {
    const batch = `stl_${(this.batches += 1)}`;
    const events = this.accounts.flatMap(({ accountId, apiKeyId }, account) =>
      MODELS.slice(0, 1 + ((account + this.batches) % MODELS.length)).map((model, number) => ({
        ...{ request_id: `req_${batch}_${account}_${number}`, lease_id: null, limited: false },
        ...{ started_at: at.toISOString(), account_id: accountId, api_key_id: number % 2 ? null : apiKeyId },
        ...{
          model,
          entrypoint: number % 2 ? 'agent' : 'gateway',
          endpoint: 'chat/completions',
          upstream: 'u',
        },
        ...{
          outcome: number ? 'disconnected' : 'completed',
          estimated: number === 1,
          usd_per_unit: '0.1400000001',
        },
        ...{
          input_tokens: String(tokens),
          output_tokens: String(number),
          price_list_id: String(this.priceList),
        },
        upstream_costs: number
          ? []
          : [{ upstream: 'u', list: '1', served: true, cost_picos: `${tokens}000000000001` }],
        ...costsOf(tokens + BigInt(number)),
      })),
    );
    const since = await this.pool.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    const refused = await this.pool.query('SELECT metering.settle($1, $2)', [batch, JSON.stringify(events)]);
    if (refused.rowCount) throw new Error('The wallets do not cover the usage.');
    const { accountId } = this.accounts[0]!;
    await this.pool.query(`SELECT training.record_usage($1, $2, 'base', 5, $3, 'm', 1000000)`, [
      `rec_${batch}`,
      accountId,
      `trn_${batch}`,
    ]);
    await this.moveTo(batch, at, since.rows[0]!.now);
  }

  /** @param settledSince when the batch was begun: the ledger does not name it */
  private async moveTo(batch: string, at: Date, settledSince: string): Promise<void> {
    await this.pool.query(CREATE_PARTITION.replace('%s', at.toISOString()));
    const ids = [batch, `trn_${batch}`];
    // Microseconds, which a Date would lose.
    await this.pool.query(
      `UPDATE metering.usage_events SET occurred_at = $2::timestamptz + interval '123457 microseconds' WHERE settlement_id = ANY ($1)`,
      [ids, at],
    );
    await this.pool.query('UPDATE training.usage_records SET recorded_at = $2 WHERE event_id = $1', [
      ids[1],
      at,
    ]);
    await this.pool.query(
      `UPDATE wallet.transfers SET hour = date_trunc('hour', $2::timestamptz, 'UTC'), created_at = $2
       WHERE kind = 'usage' AND created_at >= $1`,
      [settledSince, at],
    );
  }

  /** Writes the rollups anew. */
  async rollUp(): Promise<void> {
    await this.pool.query("SELECT metering.forget_rollups('-infinity')");
    await this.pool.query('UPDATE metering.rollup_progress SET rolled_until = NULL');
    await this.pool.query('DELETE FROM metering.hourly_rollup');
    await this.pool.query(`
      INSERT INTO metering.hourly_rollup
        (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
      SELECT e.account_id, date_trunc('hour', e.occurred_at, 'UTC'), e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, ''),
        sum(l.quantity), sum(l.tokens), sum(l.cost_picos), sum(l.cost_usd_picos)
      FROM metering.usage_events e CROSS JOIN jsonb_to_recordset(e.lines)
        AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
      GROUP BY 1, 2, 3, 4, 5, 6`);
    for (const statement of REBUILD_MARGINS) await this.pool.query(statement);
    // The job waits for older transactions, also for those of other databases of the server.
    await waitFor(async () => {
      await this.pool.query('SELECT metering.roll_up_hours()');
      const { rows } = await this.pool.query<{ isDone: boolean }>(
        `SELECT rolled_until >= date_trunc('hour', now() - interval '1 minute', 'UTC') AS "isDone" FROM metering.rollup_progress`,
      );
      return rows[0]!.isDone;
    });
  }

  /** Settles one event now, for a test of what settlements wait for. */
  async settleNow(): Promise<void> {
    const [{ accountId, apiKeyId }] = this.accounts as [{ accountId: string; apiKeyId: string }];
    const batch = `now_${(this.batches += 1)}`;
    const event = {
      ...{ request_id: `req_${batch}`, lease_id: null, limited: false, started_at: new Date().toISOString() },
      ...{ account_id: accountId, api_key_id: apiKeyId, model: 'm', entrypoint: 'gateway' },
      ...{
        endpoint: 'chat/completions',
        upstream: 'u',
        outcome: 'completed',
        estimated: false,
        usd_per_unit: '1',
      },
      ...{ input_tokens: '1', output_tokens: '0', price_list_id: String(this.priceList), ...costsOf(1n) },
    };
    await this.pool.query('SELECT metering.settle($1, $2)', [batch, JSON.stringify([event])]);
  }
}

function costsOf(tokens: bigint) {
  const rate = 10n ** 15n + 1n;
  const amounts = { cost_picos: String(tokens * rate), cost_usd_picos: '7' };
  const counted = { unit: 'per_million_tokens', quantity: String(tokens), tokens: String(tokens) };
  const priced = {
    meter: 'input',
    rate_picos: String(rate),
    conditions: { hours: '00:00-12:00' },
    price: null,
  };
  return { ...amounts, lines: [{ ...counted, ...priced, ...amounts }] };
}

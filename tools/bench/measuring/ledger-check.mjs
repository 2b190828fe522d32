import { PRICES } from '../setup/database.mjs';

/**
 * Compares the ledger with the requests that the engine has served. The README explains each line.
 *
 * @typedef {object} Served
 * @property {bigint} requests
 * @property {bigint} inputTokens
 * @property {bigint} outputTokens
 * @property {bigint} [costPicos] the expected cost; required if not all requests name the first model
 */

const SUMS = `
  SELECT
    (SELECT count(*) FROM metering.usage_events) AS events,
    (SELECT count(*) FROM metering.usage_events WHERE outcome <> 'completed' OR estimated) AS doubtful_events,
    (SELECT count(DISTINCT request_id) FROM metering.usage_events) AS distinct_events,
    (SELECT coalesce(sum(input_tokens), 0) FROM metering.usage_events) AS input_tokens,
    (SELECT coalesce(sum(output_tokens), 0) FROM metering.usage_events) AS output_tokens,
    (SELECT coalesce(sum(cost_picos), 0) FROM metering.usage_events) AS event_cost,
    (SELECT coalesce(sum(tokens), 0) FROM metering.hourly_rollup) AS rollup_tokens,
    (SELECT coalesce(sum(cost_picos), 0) FROM metering.hourly_rollup) AS rollup_cost,
    (SELECT coalesce(-sum(e.amount_picos), 0) FROM wallet.entries e JOIN wallet.transfers t ON t.id = e.transfer_id
      WHERE t.kind = 'usage' AND e.ledger_account = 'wallet:' || t.account_id) AS debits,
    (SELECT coalesce(sum(amount_picos), 0) FROM wallet.entries WHERE ledger_account = 'revenue:usage') AS revenue,
    (SELECT count(*) FROM (
      SELECT FROM wallet.entries GROUP BY transfer_id HAVING sum(amount_picos) <> 0) unbalanced) AS unbalanced_transfers,
    (SELECT count(*) FROM wallet.wallets w WHERE w.balance_picos <> (
      SELECT coalesce(sum(amount_picos), 0) FROM wallet.entries
      WHERE ledger_account = 'wallet:' || w.account_id)) AS wrong_balances,
    (SELECT count(*) FROM wallet.wallets w WHERE w.leased_picos <> (
      SELECT coalesce(sum(amount_picos), 0) FROM wallet.leases l WHERE l.account_id = w.account_id)) AS wrong_leases,
    (SELECT count(*) FROM wallet.leases) AS leases`;

/** @param {string} unit @returns {bigint} picos per token of the first model */
const firstRate = (unit) => PRICES.find((price) => price.unit === unit)?.ratePicos ?? 0n;

/**
 * @param {import('../setup/database.mjs').Database['pool']} pool
 * @param {Served} served
 * @returns {Promise<{ lines: string[], faults: string[] }>} all comparisons, and those that failed
 */
export async function checkLedger(pool, served) {
  await pool.query("SELECT metering.fold('0', 1000000)");
  const sums = (await pool.query(SUMS)).rows[0];
  const costPicos =
    served.costPicos ??
    served.inputTokens * firstRate('per_million_input_tokens') +
      served.outputTokens * firstRate('per_million_output_tokens');
  const comparisons = [
    ['usage events', sums.events, 'requests served', served.requests],
    ['distinct request ids', sums.distinct_events, 'requests served', served.requests],
    ['Σ input tokens of events', sums.input_tokens, 'served', served.inputTokens],
    ['Σ output tokens of events', sums.output_tokens, 'served', served.outputTokens],
    ['Σ tokens of the rollup', sums.rollup_tokens, 'served', served.inputTokens + served.outputTokens],
    ['Σ cost of events', sums.event_cost, 'tokens × price', costPicos],
    ['Σ cost of the rollup', sums.rollup_cost, 'Σ cost of events', sums.event_cost],
    ['Σ usage debits', sums.debits, 'Σ cost of events', sums.event_cost],
    ['usage revenue', sums.revenue, 'Σ usage debits', sums.debits],
    ['incomplete or estimated events', sums.doubtful_events, 'expected', 0n],
    ['transfers that do not sum to zero', sums.unbalanced_transfers, 'expected', 0n],
    ['wallets unlike their entries', sums.wrong_balances, 'expected', 0n],
    ['wallets unlike their leases', sums.wrong_leases, 'expected', 0n],
    ['leases left', sums.leases, 'expected', 0n],
  ];
  const lines = comparisons.map(
    ([what, actual, whose, expected]) =>
      `${actual === expected ? 'ok  ' : 'FAIL'} ${what} ${actual}, ${whose} ${expected}`,
  );
  return {
    lines,
    faults: lines.filter((line) => line.startsWith('FAIL')).map((line) => `ledger: ${line.slice(5)}`),
  };
}

import pg from 'pg';
import { loadBuilt } from '../setup/built-modules.mjs';
import { BALANCE_PICOS, createDatabase, PRICES } from '../setup/database.mjs';
import { checkLedger } from '../measuring/ledger-check.mjs';
import { printLedger, printVerdicts } from '../measuring/report.mjs';

/**
 * @import { TestAccount } from '../../../libs/testing/src/index.ts'
 * @import { Database } from '../setup/database.mjs'
 *
 * @typedef {{ account: TestAccount, leaseIds: string[] }} Customer `leaseIds`: one for each connection
 */

/** The maximum that a gateway writes in one statement. */
const BATCH_EVENTS = 500;
/** Each connection simulates a gateway, with its own lease of every wallet. */
const CONNECTIONS = 2;
const ACCOUNTS = 8;
const LEASE_PICOS = BALANCE_PICOS / 4n;
const LEASE_TTL_SECONDS = 3_600;
/** Of each connection. */
const BATCHES_OF_A_TURN = 40;
/** @type {('gateway' | 'agent' | 'memo')[]} */
const ENTRYPOINTS = ['gateway', 'agent', 'memo'];
const TARGET_PER_SECOND = 30_000;
/** As a gateway does. */
const FOLD_MILLIS = 500;
const FOLD_ACCOUNTS = 500;

/** Generates distinct usage events like those of a gateway, and sums up their tokens and costs. */
class EventSource {
  #count = 0;
  #kinds;
  requests = 0n;
  inputTokens = 0n;
  outputTokens = 0n;
  costPicos = 0n;

  /** @param {Customer[]} customers @param {bigint} priceListId */
  constructor(customers, priceListId) {
    this.customers = customers;
    this.priceListId = priceListId;
    this.#kinds = [...new Set(PRICES.map(({ slug }) => slug))].map((model) => ({
      model,
      rates: PRICES.filter(({ slug }) => slug === model),
    }));
    /** @type {typeof import('../../../libs/database/src/index.ts').newId} */
    this.newId = loadBuilt('libs/database/src').newId;
    this.charge = loadBuilt('libs/metering/src').charge;
    this.countsOf = loadBuilt('libs/metering/src').countsOf;
    this.usdScale = 10n ** BigInt(loadBuilt('libs/metering/src').RATE_DIGITS);
    this.Lease = loadBuilt('apps/gateway/src/leases/lease').Lease;
    this.toRow = loadBuilt('apps/gateway/src/settlement/usage-event').toSettlementRow;
  }

  /** @param {number} connection */
  #next(connection) {
    const count = this.#count++;
    const { account, leaseIds } = cyclic(this.customers, count);
    const { model, rates } = cyclic(this.#kinds, count >> 3);
    const usage = { inputTokens: 10 + (count % 1_000), outputTokens: 16 + (count % 300) };
    const charged = this.charge(rates, this.countsOf(usage), this.usdScale);
    this.requests += 1n;
    this.inputTokens += BigInt(usage.inputTokens);
    this.outputTokens += BigInt(usage.outputTokens);
    this.costPicos += charged.costPicos;
    /** @type {Parameters<typeof this.toRow>[0]} */
    const event = {
      ...{ requestId: this.newId('req'), clientRequestId: undefined, startedAt: new Date() },
      ...{ model, endpoint: 'chat/completions' },
      ...{
        accountId: account.accountId,
        apiKeyId: account.apiKeyId,
        upstream: 'sandbox',
        outcome: 'completed',
      },
      ...{ ...usage, estimated: false, usageFault: null, priceListId: this.priceListId, charge: charged },
      ...{ durationMs: 800, timeToFirstTokenMs: 200, finishReason: 'stop' },
      usdPerUnit: this.usdScale,
      costs: [],
      entrypoint: cyclic(ENTRYPOINTS, count >> 4),
    };
    const lease = new this.Lease(cyclic(leaseIds, connection), false);
    return this.toRow(event, lease.hold(charged.costPicos), '1');
  }

  /** @param {number} connection @returns {string} a batch as the gateway sends it */
  batch(connection) {
    return JSON.stringify(Array.from({ length: BATCH_EVENTS }, () => this.#next(connection)));
  }
}

/** @template T @param {T[]} values at least one @param {number} index @returns {T} modulo the number of values */
function cyclic(values, index) {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('There are no values.');
  return value;
}

/** @param {pg.Client} client @param {string} accountId @param {string} leaseId @param {string} holder */
async function drawLease(client, accountId, leaseId, holder) {
  const { rows } = await client.query(
    'SELECT lease_id FROM wallet.draw_lease($1, NULL, NULL, $2, $3, $4, $4, $5)',
    [accountId, leaseId, holder, LEASE_PICOS, LEASE_TTL_SECONDS],
  );
  if (rows[0].lease_id !== leaseId) throw new Error(`No lease for ${accountId}.`);
  return leaseId;
}

/**
 * Creates accounts with a balance, and for each connection a lease of each.
 * @param {Database} database
 * @param {pg.Client[]} clients
 */
async function openCustomers(database, clients) {
  const { newId } = loadBuilt('libs/database/src');
  /** @type {Customer[]} */
  const customers = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = await loadBuilt('libs/testing/src').insertAccount(database.pool, {
      balancePicos: BALANCE_PICOS,
    });
    const leaseIds = [];
    for (const [connection, client] of clients.entries()) {
      leaseIds.push(await drawLease(client, account.accountId, newId('lse'), `bench-${connection}`));
    }
    customers.push({ account, leaseIds });
  }
  return customers;
}

/** @param {pg.Client} client */
const fold = (client) => client.query("SELECT metering.fold('0', $1)", [FOLD_ACCOUNTS]);

/**
 * Appends batches, and folds them.
 * @param {pg.Client} client
 * @param {string[]} batches
 * @returns {Promise<number>} events that were refused
 */
async function appendAndFold(client, batches) {
  const { newId } = loadBuilt('libs/database/src');
  let refused = 0;
  let foldedAt = performance.now();
  for (const batch of batches) {
    const result = await client.query('SELECT metering.append($1, $2)', [newId('stl'), batch]);
    refused += result.rowCount ?? 0;
    if (performance.now() - foldedAt < FOLD_MILLIS) continue;
    await fold(client);
    foldedAt = performance.now();
  }
  await fold(client);
  return refused;
}

/**
 * Makes batches for all connections, which is not measured, because gateways do it, and stores them.
 * @param {pg.Client[]} clients
 * @param {EventSource} source
 * @returns {Promise<{ refused: number, millis: number }>}
 */
async function runOnAll(clients, source) {
  const batches = clients.map((_, connection) =>
    Array.from({ length: BATCHES_OF_A_TURN }, () => source.batch(connection)),
  );
  const startedAt = performance.now();
  const refused = await Promise.all(
    clients.map((client, connection) => appendAndFold(client, batches[connection] ?? [])),
  );
  return { refused: refused.reduce((sum, count) => sum + count, 0), millis: performance.now() - startedAt };
}

/** @type {import('../setup/workbench.mjs').Benchmark} */
export async function benchSettlement(bench, { settlementSeconds }) {
  const database = await createDatabase(bench, 'settlement_bench');
  /** @type {pg.Client[]} */
  const clients = [];
  for (let connection = 0; connection < CONNECTIONS; connection += 1) {
    const client = new pg.Client({ connectionString: database.gatewayUrl });
    await client.connect();
    bench.defer(() => client.end());
    clients.push(client);
  }
  const customers = await openCustomers(database, clients);
  const source = new EventSource(customers, database.priceListId);

  console.log(
    `\nSettlement: batches of ${BATCH_EVENTS} events of ${ACCOUNTS} accounts over ${CONNECTIONS} connections for ${settlementSeconds} s.`,
  );
  console.log(`PostgreSQL: ${database.durability}`);
  let { refused } = await runOnAll(clients, source);
  const before = source.requests;
  let millis = 0;
  while (millis < settlementSeconds * 1000) {
    bench.signal.throwIfAborted();
    const turn = await runOnAll(clients, source);
    refused += turn.refused;
    millis += turn.millis;
  }
  const perSecond = (Number(source.requests - before) / millis) * 1000;
  printVerdicts([
    {
      what: 'Usage events appended and folded',
      value: perSecond,
      unit: ' per second',
      atLeast: TARGET_PER_SECOND,
    },
  ]);

  for (const { leaseIds } of customers) {
    for (const id of leaseIds) await clients[0]?.query('SELECT wallet.return_lease($1, 0, true)', [id]);
  }
  const ledger = await checkLedger(database.pool, source);
  printLedger(ledger.lines);
  return [...(refused > 0 ? [`settlement: ${refused} events were refused`] : []), ...ledger.faults];
}

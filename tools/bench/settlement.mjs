import pg from 'pg';
import { BALANCE_PICOS, createDatabase, PRICES, product } from './database.mjs';
import { checkLedger } from './ledger-check.mjs';
import { printLedger, printVerdicts } from './report.mjs';

/** As much as a gateway writes at a time at most. */
const BATCH_EVENTS = 500;
/** Each stands for a gateway of its own, with its own lease on every wallet. */
const CONNECTIONS = 2;
const ACCOUNTS = 8;
const LEASE_PICOS = BALANCE_PICOS / 4n;
const LEASE_TTL_SECONDS = 3_600;
const WARM_UP_BATCHES = 10;
const ENTRYPOINTS = ['gateway', 'agent', 'memo'];
const TARGET_PER_SECOND = 10_000;

/** Makes events like those of a gateway, no two alike, and adds up what they come to. */
class EventSource {
  #count = 0;
  #kinds;
  requests = 0n;
  inputTokens = 0n;
  outputTokens = 0n;
  costPicos = 0n;

  /** @param {{ account: import('../../libs/testing/src').TestAccount, leaseIds: string[] }[]} customers @param {bigint} priceListId */
  constructor(customers, priceListId) {
    this.customers = customers;
    this.priceListId = priceListId;
    this.#kinds = [...new Set(PRICES.map(({ slug }) => slug))].map((model) => ({
      model,
      rates: PRICES.filter(({ slug }) => slug === model),
    }));
    this.newId = product('libs/database/src').newId;
    this.charge = product('libs/metering/src').charge;
    this.usdScale = 10n ** BigInt(product('libs/metering/src').RATE_DIGITS);
    this.toRow = product('apps/gateway/src/settlement/usage-event.js').toSettlementRow;
  }

  #next(connection) {
    const count = this.#count++;
    const { account, leaseIds } = this.customers[count % this.customers.length];
    const { model, rates } = this.#kinds[(count >> 3) % this.#kinds.length];
    const usage = { inputTokens: 10 + (count % 1_000), outputTokens: 16 + (count % 300) };
    const charged = this.charge(rates, usage, this.usdScale);
    this.requests += 1n;
    this.inputTokens += BigInt(usage.inputTokens);
    this.outputTokens += BigInt(usage.outputTokens);
    this.costPicos += charged.costPicos;
    const event = {
      ...{ requestId: this.newId('req'), startedAt: new Date(), model, endpoint: 'chat/completions' },
      ...{
        accountId: account.accountId,
        apiKeyId: account.apiKeyId,
        upstream: 'sandbox',
        outcome: 'completed',
      },
      ...{ ...usage, estimated: false, priceListId: this.priceListId, charge: charged },
      entrypoint: ENTRYPOINTS[(count >> 4) % ENTRYPOINTS.length],
    };
    return this.toRow(event, { lease: { id: leaseIds[connection], limited: false } }, '1');
  }

  /** @param {number} connection @returns {string} a batch as the gateway sends it */
  batch(connection) {
    return JSON.stringify(Array.from({ length: BATCH_EVENTS }, () => this.#next(connection)));
  }
}

/** @param {pg.Client} client */
async function drawLease(client, accountId, leaseId, holder) {
  const { rows } = await client.query(
    'SELECT lease_id FROM wallet.draw_lease($1, NULL, NULL, $2, $3, $4, $4, $5)',
    [accountId, leaseId, holder, LEASE_PICOS, LEASE_TTL_SECONDS],
  );
  if (rows[0].lease_id !== leaseId) throw new Error(`No lease for ${accountId}.`);
  return leaseId;
}

/** Accounts with money, and a lease of each connection on every one of them. */
async function openCustomers(database, clients) {
  const { newId } = product('libs/database/src');
  const customers = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = await product('libs/testing/src').insertAccount(database.pool, {
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

/** Settles batch after batch while `goesOn`. @returns {Promise<number>} events that were refused */
async function settle(client, connection, source, goesOn) {
  const { newId } = product('libs/database/src');
  let refused = 0;
  for (let batch = 0; goesOn(batch); batch += 1) {
    const result = await client.query('SELECT metering.settle($1, $2)', [
      newId('stl'),
      source.batch(connection),
    ]);
    refused += result.rowCount;
  }
  return refused;
}

/** All connections at once. */
async function settleEverywhere(clients, source, goesOn) {
  const refused = await Promise.all(
    clients.map((client, connection) => settle(client, connection, source, goesOn)),
  );
  return refused.reduce((sum, count) => sum + count, 0);
}

/** @param {import('./workbench.mjs').Workbench} bench @returns {Promise<string[]>} faults */
export async function benchSettlement(bench, { settlementSeconds }) {
  const database = await createDatabase(bench, 'settlement_bench');
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
  let refused = await settleEverywhere(clients, source, (batch) => {
    bench.signal.throwIfAborted();
    return batch < WARM_UP_BATCHES;
  });
  const before = source.requests;
  const startedAt = performance.now();
  refused += await settleEverywhere(clients, source, () => {
    bench.signal.throwIfAborted();
    return performance.now() - startedAt < settlementSeconds * 1000;
  });
  const perSecond = (Number(source.requests - before) / (performance.now() - startedAt)) * 1000;
  printVerdicts([
    { what: 'Usage events settled', value: perSecond, unit: ' per second', atLeast: TARGET_PER_SECOND },
  ]);

  for (const { leaseIds } of customers) {
    for (const id of leaseIds) await clients[0].query('SELECT wallet.return_lease($1, 0, true)', [id]);
  }
  const ledger = await checkLedger(database.pool, source);
  printLedger(ledger.lines);
  return [...(refused > 0 ? [`settlement: ${refused} events were refused`] : []), ...ledger.faults];
}

import { DatabaseBefore } from '../database-before.fixture';

/** What gateways of version 0.2.0 ask for: the newest list, whatever is in it. */
const PRICES_OF_FORMER_GATEWAY = `
  SELECT l.id, l.effective_from, p.slug, p.unit, p.rate_picos
  FROM (SELECT id, effective_from FROM pricing.price_lists WHERE kind = 'models' ORDER BY id DESC LIMIT 1) l
  LEFT JOIN pricing.model_prices p ON p.price_list_id = l.id AND p.slug IS DISTINCT FROM 'training' ORDER BY p.position`;
/** What consoles of version 0.2.0 explain a call with. */
const LINES_OF_FORMER_CONSOLE = `
  SELECT e.request_id, l.unit, l.quantity, m.rate_picos, l.cost_picos
  FROM metering.usage_events e
  CROSS JOIN LATERAL jsonb_to_recordset(e.lines) AS l(unit text, quantity numeric, cost_picos numeric)
  LEFT JOIN pricing.model_prices m ON m.price_list_id = e.price_list_id AND m.slug = e.model AND m.unit = l.unit`;
const FIGURES = [
  'pricing.price_lists',
  'pricing.model_prices',
  'metering.usage_events',
  'metering.hourly_rollup',
  'wallet.wallets',
  'wallet.entries',
];

const list = (prices: string) => `
  WITH list AS (INSERT INTO pricing.price_lists (kind) VALUES ('models') RETURNING id)
  INSERT INTO pricing.model_prices (price_list_id, position, slug, unit, rate_picos) SELECT list.id, p.* FROM list, (VALUES ${prices}) p`;
/** A call at two prices, as earlier versions store it. */
const EVENT = `
  INSERT INTO metering.usage_events (occurred_at, request_id, started_at, account_id, model, entrypoint, endpoint, upstream, outcome,
    input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines, settlement_id)
  VALUES ('2026-11-01T00:00:00Z', 'req', '2026-11-01T00:00:00Z', 'a', 'm', 'gateway', 'chat/completions', 'u', 'completed',
    7, 3, false, 1, 1, 51, 51, '[
      {"unit": "per_million_input_tokens", "quantity": "7", "tokens": "7", "cost_picos": "21", "cost_usd_picos": "21"},
      {"unit": "per_million_output_tokens", "quantity": "3", "tokens": "3", "cost_picos": "30", "cost_usd_picos": "30"}]', 's')`;

let database: DatabaseBefore;

beforeAll(async () => {
  database = await DatabaseBefore.create('0050_prices_with_conditions');
  await database.owner.query(`
    INSERT INTO accounts.accounts (id, email) VALUES ('a', 'a@example.com');
    INSERT INTO wallet.wallets (account_id, currency, balance_picos) VALUES ('a', 'USD', 949);
    INSERT INTO wallet.transfers (id, kind, account_id, reference, description, model, hour) VALUES
      ('t', 'usage', 'a', 'usage:t', 'Usage', 'm', '2026-11-01T00:00:00Z');
    INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos) VALUES ('t', 'wallet:a', -51), ('t', 'revenue:usage', 51);
    ${list(`(1, 'm', 'per_million_input_tokens', 3), (2, 'm', 'per_million_output_tokens', 10), (3, 'n', 'per_request', 5)`)};
    CREATE TABLE metering.usage_events_of_test PARTITION OF metering.usage_events DEFAULT;
    ${EVENT};
    INSERT INTO metering.hourly_rollup (account_id, hour, model, entrypoint, unit, quantity, tokens, cost_picos, cost_usd_picos)
    SELECT 'a', '2026-11-01T00:00:00Z', 'm', 'gateway', l.unit, l.quantity, l.tokens, l.cost_picos, l.cost_usd_picos
    FROM metering.usage_events, jsonb_to_recordset(lines)
      AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)`);
});
afterAll(() => database?.drop());

it('keeps every figure of a filled database, forwards and back', async () => {
  const figures = async () => [
    await database.readRows(FIGURES),
    await database.queryAs('gateway', PRICES_OF_FORMER_GATEWAY),
    await database.queryAs('console', LINES_OF_FORMER_CONSOLE),
  ];
  const before = await figures();
  expect(before.flat()).not.toContainEqual([]);
  await database.migrateUp();
  expect(await figures()).toEqual(before);
  await database.migrateDown('0050_prices_with_conditions');
  expect(await figures()).toEqual(before);
  await database.migrateUp();
  expect(await figures()).toEqual(before);
});

it('shows the former version the unconditional prices of its units', async () => {
  const shown = async () =>
    (await database.queryAs('gateway', PRICES_OF_FORMER_GATEWAY)).map((row) => {
      const { slug, unit, rate_picos: rate } = row as Record<string, unknown>;
      return [slug, unit, rate];
    });
  const before = await shown();
  const values = `(1, 'm', 'per_million_input_tokens', 3), (3, 'm', 'per_million_output_tokens', 10), (4, 'n', 'per_request', 5)`;
  await database.owner.query(list(values));
  await database.owner.query(`
    INSERT INTO pricing.further_model_prices (price_list_id, position, slug, unit, rate_picos, min_input_tokens, effective_from) VALUES
      (2, 2, 'm', 'per_million_cached_input_tokens', 1, NULL, NULL),
      (2, 5, 'm', 'per_million_input_tokens', 6, 200000, NULL),
      (2, 6, 'm', 'per_million_output_tokens', 1, NULL, now() + interval '1 day')`);
  expect(await shown()).toEqual(before);
});

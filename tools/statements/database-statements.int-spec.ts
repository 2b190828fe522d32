import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { Client } from 'pg';
import { readAccountTables } from './account-tables.mjs';
import { CROSSING_STATEMENTS } from './crossing-statements.mjs';
import { readDatabaseStatements } from './judgement.mjs';
import { scopeOf } from './statement-scope.mjs';

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

it('takes tables with an account, and those that refer to their rows, for tables of accounts', async () => {
  const tables = await readAccountTables(client);
  expect([...tables.keys()]).toEqual(
    expect.arrayContaining(['accounts.accounts', 'metering.usage_events', 'wallet.entries', 'agent.events']),
  );
  expect(tables.get('agent.events')?.parentColumns).toEqual(new Set(['session_id', 'turn_id']));
  expect(tables.has('catalogue.packages')).toBe(false);
  expect(tables.has('pricing.model_prices')).toBe(false);
});

it('lists exactly the functions and views that cross accounts', async () => {
  const tables = await readAccountTables(client);
  const crossings = new Map<string, Set<string>>();
  for (const { place, text } of await readDatabaseStatements(client)) {
    const { crossed } = await scopeOf(text, tables);
    if (crossed.length > 0) crossings.set(place, new Set([...(crossings.get(place) ?? []), ...crossed]));
  }
  const listed = CROSSING_STATEMENTS.filter(({ place }) => /^(function|view) /.test(place));
  const asRecord = (entries: (readonly [string, string[]])[]) => Object.fromEntries(entries);
  expect(asRecord([...crossings].map(([place, crossed]) => [place, [...crossed].sort()]))).toEqual(
    asRecord(listed.map(({ place, tables: names }) => [place, names.toSorted()])),
  );
});

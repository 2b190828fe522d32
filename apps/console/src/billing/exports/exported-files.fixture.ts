import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decimalToScaled } from '@inference/money';
import { type ObjectStorage } from '@inference/storage';
import { type TestPool } from '@inference/testing';
import { parse } from 'csv-parse/sync';
import { type ExportManifest } from './hour-files';

const PICO_DIGITS = 12;

/** All files below the folder, by their keys. */
export async function filesIn(folder: string): Promise<Map<string, Buffer>> {
  if (!existsSync(folder)) return new Map();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(
      paths
        .sort()
        .map(async (path): Promise<[string, Buffer]> => [relative(folder, path), await readFile(path)]),
    ),
  );
}

type Cells = Record<string, string>;
export interface ExportedRows {
  manifests: ExportManifest[];
  usage: Cells[];
  usage_lines: Cells[];
  ledger: Cells[];
}

/** Reads as a warehouse should: the files that manifests name, each compared with what its manifest says. */
export function readExported(files: Map<string, Buffer>): ExportedRows {
  const found: ExportedRows = { manifests: [], usage: [], usage_lines: [], ledger: [] };
  for (const [key, content] of files) {
    if (!key.startsWith('manifests/')) continue;
    const manifest = JSON.parse(content.toString()) as ExportManifest;
    found.manifests.push(manifest);
    for (const dataset of ['usage', 'usage_lines', 'ledger'] as const) {
      const { columns, rows, files: parts } = manifest.datasets[dataset];
      const names = columns.map(({ name }) => name);
      const read = parts.flatMap((part) => {
        const stored = files.get(part.name) ?? Buffer.alloc(0);
        const sha256 = createHash('sha256').update(stored).digest('hex');
        expect([part.name, stored.length, sha256]).toEqual([part.name, part.bytes, part.sha256]);
        const [header, ...lines] = parse(gunzipSync(stored), { record_delimiter: '\r\n' }) as string[][];
        expect(header).toEqual(names);
        expect(lines).toHaveLength(part.rows);
        return lines.map((line) => Object.fromEntries(line.map((cell, index) => [names[index]!, cell])));
      });
      expect(read).toHaveLength(rows);
      found[dataset] = found[dataset].concat(read);
    }
  }
  return found;
}

/** The sum of a column of exact decimals, in picos. */
const sumOf = (rows: Cells[], column: string): bigint =>
  rows.reduce((sum, row) => sum + decimalToScaled(row[column] || '0', PICO_DIGITS), 0n);

/** The sums of exported files, and what they have to be by the rollup, the cost report and the balances. */
export async function compareWithBooks(pool: TestPool, exported: ExportedRows) {
  const { rows } = await pool.query<Record<'calls' | 'tokens' | 'cost' | 'usd' | 'balances', string>>(
    `SELECT (SELECT count(*) FROM metering.usage_events)::text AS calls, sum(tokens)::text AS tokens,
       sum(cost_picos)::text AS cost, sum(cost_usd_picos)::text AS usd,
       (SELECT sum(balance_picos) FROM wallet.wallets)::text AS balances
     FROM metering.hourly_rollup`,
  );
  const [books] = rows as [(typeof rows)[number]];
  const { usage, usage_lines: lines, ledger } = exported;
  const count = (of: Cells[], column: string) => of.reduce((sum, row) => sum + BigInt(row[column]!), 0n);
  return {
    exported: {
      calls: BigInt(new Set(usage.map(({ request_id: id }) => id)).size),
      rows: BigInt(usage.length),
      tokens: count(usage, 'input_tokens') + count(usage, 'output_tokens'),
      lineTokens: count(lines, 'tokens'),
      cost: sumOf(usage, 'cost'),
      lineCost: sumOf(lines, 'cost'),
      usd: sumOf(usage, 'cost_usd'),
      lineUsd: sumOf(lines, 'cost_usd'),
      debits: sumOf(
        ledger.filter(({ type }) => type === 'usage'),
        'amount',
      ),
      balances: sumOf(ledger, 'amount'),
    },
    books: {
      calls: BigInt(books.calls),
      rows: BigInt(books.calls),
      tokens: BigInt(books.tokens),
      lineTokens: BigInt(books.tokens),
      cost: BigInt(books.cost),
      lineCost: BigInt(books.cost),
      usd: BigInt(books.usd),
      lineUsd: BigInt(books.usd),
      debits: -BigInt(books.cost),
      balances: BigInt(books.balances),
    },
  };
}

/** Rolls up all hours as if it were `hours` later, so that the present one has ended. Returns the end of what is rolled up. */
export async function closeHours(pool: TestPool, hours: number): Promise<Date> {
  const ahead = `(clock_timestamp() + interval '${hours} hours 1 minute')`;
  await pool.query(
    `DO $$ BEGIN EXECUTE replace(replace(pg_get_functiondef('metering.roll_up_hours'::regproc), 'metering.roll_up_hours', 'metering.roll_up_ahead'),
       'clock_timestamp()', $x$${ahead}$x$); END $$`,
  );
  for (;;) {
    await pool.query('SELECT metering.roll_up_ahead()');
    const { rows } = await pool.query<{ until: Date; isDone: boolean }>(
      `SELECT rolled_until AS until, rolled_until >= date_trunc('hour', clock_timestamp() + interval '${hours} hours', 'UTC') AS "isDone"
       FROM metering.rollup_progress`,
    );
    if (rows[0]?.isDone) return rows[0].until;
  }
}

const HOUR_MILLIS = 3_600_000;

/** Usage of an account in each of some hours that have been closed long ago: calls with their lines, the rollup, a debit a model, and a top-up. */
export async function insertClosedHours(
  pool: TestPool,
  accountId: string,
  { first, calls }: { first: Date; calls: number[] },
): Promise<void> {
  for (const [index, count] of calls.entries()) {
    const hour = new Date(first.getTime() + index * HOUR_MILLIS);
    await pool.query(
      `INSERT INTO metering.usage_events (request_id, occurred_at, started_at, account_id, model, entrypoint, endpoint, upstream, outcome,
         input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines, settlement_id)
       SELECT format('req_%s_%s', $4::text, n), $2::timestamptz + n * interval '17 milliseconds', $2, $1, 'm' || n % 3, 'gateway', 'chat/completions', 'u',
         'completed', n, 2, false, 0, 1, n * 1000003::numeric + 14, n * 1000003::numeric + 14, jsonb_build_array(
           jsonb_build_object('meter', 'input', 'unit', 'per_million_input_tokens', 'quantity', n, 'tokens', n, 'rate_picos', '1000003',
             'cost_picos', (n * 1000003::numeric)::text, 'cost_usd_picos', (n * 1000003::numeric)::text),
           jsonb_build_object('meter', 'output', 'unit', 'per_million_output_tokens', 'quantity', 2, 'tokens', 2, 'rate_picos', '7',
             'cost_picos', '14', 'cost_usd_picos', '14')), 'test'
       FROM generate_series(1, $3::integer) n`,
      [accountId, hour, count, index],
    );
    await pool.query(
      `WITH used AS (
         SELECT e.model, l.unit, sum(l.quantity) AS quantity, sum(l.tokens) AS tokens, sum(l.cost_picos) AS cost
         FROM metering.usage_events e CROSS JOIN jsonb_to_recordset(e.lines)
           AS l (unit text, quantity numeric, tokens numeric, cost_picos numeric)
         WHERE e.occurred_at >= $2 AND e.occurred_at < $2::timestamptz + interval '1 hour' GROUP BY e.model, l.unit
       ), rollup AS (
         INSERT INTO metering.hourly_rollup (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
         SELECT $1, $2, model, 'gateway', unit, '', quantity, tokens, cost, cost FROM used
       ), moved AS (
         SELECT format('usg_%s_%s', $3::text, model) AS id, 'usage' AS kind, model, $2::timestamptz AS hour, -sum(cost) AS amount, 'revenue:usage' AS other
         FROM used GROUP BY model
         UNION ALL SELECT 'txn_' || $3, 'adjustment', NULL, NULL, 10::numeric ^ 20 + 7, 'equity:adjustments'
       ), transfers AS (
         INSERT INTO wallet.transfers (id, kind, account_id, reference, description, model, hour, created_at)
         SELECT id, kind, $1, id, id, model, hour, $2::timestamptz + interval '10 minutes' FROM moved
       ), entries AS (
         INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
         SELECT id, 'wallet:' || $1, amount FROM moved UNION ALL SELECT id, other, -amount FROM moved
       )
       UPDATE wallet.wallets SET balance_picos = balance_picos + (SELECT sum(amount) FROM moved) WHERE account_id = $1`,
      [accountId, hour, String(index)],
    );
  }
  await pool.query('UPDATE metering.rollup_progress SET rolled_until = $1', [
    new Date(first.getTime() + calls.length * HOUR_MILLIS),
  ]);
}

/** Ends at the given operation of the storage as if the process were killed: nothing follows. */
export function dyingAt(
  storage: ObjectStorage,
  last: number,
  onDeath: (key: string) => Promise<void>,
): ObjectStorage {
  let operations = 0;
  return new Proxy(storage, {
    get(target, name: keyof ObjectStorage) {
      return async (...args: [string, ...unknown[]]) => {
        operations += 1;
        if (operations > last) {
          if (name === 'write') await target.beginParts(args[0]);
          await onDeath(args[0]);
          return new Promise(() => undefined);
        }
        return (target[name] as (...all: unknown[]) => Promise<unknown>)(...args);
      };
    },
  });
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { readEvents, runReconcile } from './ledger-totals';
import { PostgresProcess } from '../site/postgres-process';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

jest.setTimeout(600_000);

const MODEL = 'sandbox-chat+delay-50';
const TOKENS = 20;
const RATE_PICOS = 500_000n;
const PATIENCE_SECONDS = 1;
const CALLS = 12;
/** How long the server stands still: within the patience, while the refusal waits, and longer than both. */
const STANDSTILLS_MILLIS = [600, 3_000, 9_000];

let postgres: PostgresProcess;
let database: TestDatabase;
let site: Site;
let gateway: ServiceProcess;
let account: TestAccount;

beforeAll(async () => {
  postgres = await PostgresProcess.create();
  process.env.TEST_DATABASE_URL = await postgres.start();
  database = await createTestDatabase();
  await publishPrices(database.pool, [
    { slug: MODEL, unit: 'per_million_output_tokens', ratePicos: RATE_PICOS },
  ]);
  account = await insertAccount(database.pool, { balancePicos: 10_000_000_000n });
  site = new Site(database);
  const engine = await site.startEngine();
  gateway = await site.startGateway(engine, { SETTLEMENT_PATIENCE_SECONDS: String(PATIENCE_SECONDS) });
});

afterAll(async () => {
  signalServer('CONT');
  await site?.stop();
  await database?.drop();
  await postgres?.remove();
});

/** Stops the server and all of its processes, or lets them go on. */
function signalServer(signal: 'STOP' | 'CONT'): void {
  const [postmaster = ''] = readFileSync(join(postgres.dataDir, 'postmaster.pid'), 'utf8').split('\n');
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', postmaster], { encoding: 'utf8' });
  for (const pid of [postmaster, ...children.trim().split(/\s+/)]) process.kill(Number(pid), `SIG${signal}`);
}

interface Outcome {
  requestId: string | null;
  /** Of the error; `complete` without one. */
  code: string;
}

async function call(stream: boolean, onAnswer: () => void): Promise<Outcome> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
    body: JSON.stringify({
      model: MODEL,
      messages: [{ role: 'user', content: 'Are you there?' }],
      max_tokens: TOKENS,
      stream,
    }),
  });
  onAnswer();
  const text = await response.text();
  const requestId = response.headers.get('x-inference-request-id');
  const isComplete = stream ? text.includes('data: [DONE]') : response.status === 200;
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1] ?? 'none';
  if (code === 'billing_unknown' && !stream) expect(response.headers.get('x-should-retry')).toBe('false');
  return { requestId, code: isComplete ? 'complete' : code };
}

const refusedIds = async () => {
  const { rows } = await database.pool.query<{ request_id: string }>(
    'SELECT request_id FROM metering.refused_requests',
  );
  return new Set(rows.map(({ request_id }) => request_id));
};

test.each(STANDSTILLS_MILLIS)(
  'the client and the books agree after a standstill of %i ms',
  async (millis) => {
    let answering = 0;
    const calls = Array.from({ length: CALLS }, (_, n) => call(n % 2 === 0, () => (answering += 1)));
    // The streams have begun; all calls end, one after the other, while the server stands still.
    await waitFor(() => answering >= CALLS / 2);
    await new Promise((resolve) => setTimeout(resolve, (TOKENS * 50) / 2));
    signalServer('STOP');
    await new Promise((resolve) => setTimeout(resolve, millis));
    signalServer('CONT');
    const outcomes = await Promise.all(calls);
    const codes = new Set(outcomes.map(({ code }) => code));
    for (const code of codes) expect(['complete', 'billing_unavailable', 'billing_unknown']).toContain(code);
    const unknown = outcomes
      .filter(({ code }) => code === 'billing_unknown')
      .map(({ requestId }) => requestId!);
    // The request id shows the result.
    const { events, refused } = await waitFor(async () => {
      const found = { events: await readEvents(database.pool), refused: await refusedIds() };
      return unknown.every((id) => found.events.has(id) || found.refused.has(id)) && found;
    }, 60_000);
    for (const { requestId, code } of outcomes) {
      const isCharged = events.has(requestId!);
      expect([requestId, isCharged && refused.has(requestId!)]).toEqual([requestId, false]);
      if (code === 'complete') expect([requestId, isCharged]).toEqual([requestId, true]);
      if (code === 'billing_unavailable') expect([requestId, isCharged]).toEqual([requestId, false]);
    }
    expect(await runReconcile(database)).toContain('no difference');
  },
);

test('nothing is charged later to the calls that were refused', async () => {
  const events = await readEvents(database.pool);
  for (const id of await refusedIds()) expect(events.has(id)).toBe(false);
  await gateway.stop();
  expect(await runReconcile(database)).toContain('no difference');
});

import { waitFor } from '@inference/testing';
import { readLedgerTotals, runReconcile, wronglyBilled } from '../billing/ledger-totals';
import { expectNothingLeft } from './site-checks';
import { CHILDREN, findChild } from './site-children';
import { ownerPool, siteCost, SiteLoad, TOPUP_AMOUNT } from './site-load';
import { readJson, type Platform, type Run, SiteRuns } from './site-runs';

/** How often each child is killed. */
const KILLS = Number(process.env.KILLS ?? 1);
/** Seconds for a child, on a busy machine. */
const BACK_MILLIS = 120_000;
/** How long one health check waits. */
const ANSWER_MILLIS = 10_000;
const PICOS_PER_UNIT = 1_000_000_000_000n;
const FIRST_CREDIT = 25n;

jest.setTimeout(300_000 + KILLS * CHILDREN.length * 30_000);

let runs: SiteRuns;
let run: Run;

beforeAll(async () => {
  runs = new SiteRuns();
  run = await runs.newRun({
    ENGINE_TOKENS_PER_SECOND: '200',
    LOG_LEVEL: 'info',
    USAGE_EVENTS_RETENTION_MONTHS: '24',
  });
  await run.start();
});
afterAll(() => runs.cleanUp());

/** The addresses that do not answer that they are healthy. */
async function unhealthyOf({ urls, sandbox }: Platform): Promise<string[]> {
  const { engine, oidc, payments, code_host: codeHost } = sandbox;
  const all = [...Object.values(urls), engine!, oidc!, payments!, codeHost!];
  const isHealthy = (url: string) =>
    fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MILLIS) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const healthy = await Promise.all(all.map(isHealthy));
  return all.filter((_, index) => !healthy[index]);
}

/** Kills a child with -9, and waits until the site serves again. Returns the seconds. */
async function killAndWait(name: string, load: SiteLoad): Promise<number> {
  const { launcher, platform } = run;
  const pid = await waitFor(() => findChild(launcher.pid, name));
  const startedAt = performance.now();
  process.kill(pid, 'SIGKILL');
  await waitFor(() => {
    const now = findChild(launcher.pid, name);
    return now !== null && now !== pid;
  }, BACK_MILLIS);
  await waitFor(async () => {
    expect(await unhealthyOf(platform)).toEqual([]);
    return load.isAnswered();
  }, BACK_MILLIS);
  return (performance.now() - startedAt) / 1_000;
}

function describeSeconds(all: Map<string, number[]>): string {
  const lines = [...all].map(([name, seconds]) => {
    const sorted = [...seconds].sort((a, b) => a - b);
    const [median = NaN, longest = NaN] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
    return `${name.padEnd(24)} ${median.toFixed(1).padStart(6)} ${longest.toFixed(1).padStart(6)}`;
  });
  return [`${'killed with -9'.padEnd(24)} median    max (s, ${KILLS} kills each)`, ...lines].join('\n');
}

/** Every acknowledged payment is credited once, and every complete answer is billed once. */
async function expectTrueFigures(load: SiteLoad, platform: Platform): Promise<void> {
  const database = ownerPool(platform);
  try {
    expect(await wronglyBilled(database, load.results, siteCost)).toEqual([]);
    const { id: accountId } = await load.ofConsole<{ id: string }>('GET', '/api/auth/me');
    await waitFor(async () => {
      const { rows }: { rows: { id: string }[] } = await database.query(
        "SELECT id FROM billing.payments WHERE status = 'paid'",
      );
      const credited = new Set(rows.map(({ id }) => id));
      return [...load.paid].every((id) => credited.has(id));
    }, BACK_MILLIS);
    await waitFor(async () => {
      const { rows }: { rows: { paid: bigint }[] } = await database.query(
        "SELECT count(*) AS paid FROM billing.payments WHERE status = 'paid'",
      );
      const { events, rollup, debits, balance } = await readLedgerTotals(database, accountId);
      expect([rollup, debits]).toEqual([events, events]);
      const credited = FIRST_CREDIT + rows[0]!.paid * BigInt(TOPUP_AMOUNT);
      expect(balance).toBe(credited * PICOS_PER_UNIT - events);
      return true;
    });
  } finally {
    await database.end();
  }
  expect(await runReconcile({ ownerUrl: platform.database.url })).toContain('no difference');
}

test(`a site under load comes back by itself after ${KILLS} kills of each child, with true figures`, async () => {
  const { platform, launcher, dataDir } = run;
  const load = new SiteLoad(platform);
  const seconds = new Map(CHILDREN.map((name): [string, number[]] => [name, []]));
  try {
    for (let round = 0; round < KILLS; round++)
      for (const name of CHILDREN) {
        seconds.get(name)!.push(await killAndWait(name, load));
        await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400));
      }
  } finally {
    await load.stop();
    console.info(describeSeconds(seconds));
  }
  expect(load.results.filter(({ complete }) => complete).length).toBeGreaterThan(CHILDREN.length * KILLS);
  expect(load.paid.size).toBeGreaterThan(0);
  expect(launcher.output).toContain(
    'gateway has ended (killed by SIGKILL). Starting it again in 0.3 s (1 of 5)',
  );
  expect(launcher.output).toMatch(/postgres is back after \d+\.\d s/);
  expect(readJson<Platform>(dataDir, 'platform.json')).toEqual(platform);
  await expectTrueFigures(load, platform);
  await expectNothingLeft(run);
});

test('a child that does not stay ends the site, with the reason and the end of its log', async () => {
  await run.start();
  const { launcher } = run;
  const startedAt = performance.now();
  let kills = 0;
  const killing = setInterval(() => {
    const pid = findChild(launcher.pid, 'sandbox-oidc');
    if (pid === null) return;
    kills += 1;
    process.kill(pid, 'SIGKILL');
  }, 50);
  expect(await launcher.ended).toBe(1);
  clearInterval(killing);
  expect(kills).toBeGreaterThanOrEqual(6);
  expect(launcher.output).toContain(
    'sandbox-oidc has ended (killed by SIGKILL), after it was started again 5 times.',
  );
  expect(launcher.output).toContain('sandbox-oidc.log');
  expect(performance.now() - startedAt).toBeLessThan(120_000);
});

test('Ctrl-C stops the site quickly while a child waits to be started again, and leaves nothing', async () => {
  await run.start();
  const { launcher } = run;
  const kill = async (name: string) =>
    process.kill(await waitFor(() => findChild(launcher.pid, name)), 'SIGKILL');
  for (const name of ['sandbox-oidc', 'sandbox-oidc', 'sandbox-oidc', 'postgres']) await kill(name);
  expect(await launcher.stop()).toBe(0);
  expect(launcher.output).not.toContain('is killed');
});

test('a configuration that is wrong ends the first start at once', async () => {
  const other = await runs.newRun({ SETTLEMENT_PATIENCE_SECONDS: 'long' });
  await expect(other.start()).rejects.toThrow('gateway has ended (exit code 1). The last lines of');
  expect(other.launcher.output).toContain('SETTLEMENT_PATIENCE_SECONDS');
  expect(other.launcher.output).not.toContain('Starting it again');
});

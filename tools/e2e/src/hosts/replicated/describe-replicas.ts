import { copyFileSync } from 'node:fs';
import { machine } from 'node:os';
import { waitFor } from '@inference/testing';
import { Client, Pool } from 'pg';
import { wronglyBilled } from '../../billing/ledger-totals';
import { APPS } from '../../deployment/app-config';
import { type CallUsage } from '../../load/call-result';
import { MemoCaller } from '../../memo/memo-calls';
import { consoleBody } from '../../site/console-client';
import { newCustomer, openForBusiness } from '../site-customers';
import { DATABASE_HOSTS } from './database-cluster';
import { DebianRoot } from './debian-root';
import { type Interruption, interruptionsSince } from './interruptions';
import { ReplicatedSite } from './replicated-site';
import { Traffic } from './traffic';

/** Picos of a US dollar per token: the price that the site publishes. */
const TOKEN_PICOS = 2_000_000n;
/** Longer than HAProxy and Patroni take to notice, so that what follows is seen. */
const CUT_MILLIS = 12_000;
const RECOVERY_MILLIS = 120_000;
/** Patroni keeps 128 MB by default. */
const WAL_MEGABYTES = 200;
/** Debian's package `libfaketime`. */
export const FAKE_CLOCK = `/usr/lib/${machine()}-linux-gnu/faketime/libfaketime.so.1`;

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));
const seconds = (since: number) => ((Date.now() - since) / 1_000).toFixed(1);

/** Tests of a site with two replicas of each service, whose hosts fail one after the other while customers use all of it. */
export function describeReplicas(imageOf: (app: string) => string): void {
  const root = new DebianRoot();
  const report: [event: string, kind: Interruption][] = [];
  let site: ReplicatedSite;
  let traffic: Traffic;

  beforeAll(async () => {
    root.make();
    site = new ReplicatedSite(root.path, imageOf);
    await site.start();
    await openForBusiness(site);
    const customer = await newCustomer(site);
    await topUp(customer.token, 100);
    const memo = new MemoCaller(site.url('memo'), { Authorization: `Bearer ${customer.token}` });
    const workspaceId = await memo.newWorkspace();
    await memo.addDocument(workspaceId, {
      title: 'Refund policy',
      text: 'Refunds are issued within five days of the return.',
    });
    traffic = new Traffic(site, customer, workspaceId);
    traffic.start();
    await untilAllSucceed();
  });

  afterAll(async () => {
    await traffic?.stop();
    await site?.stop();
    root.remove();
  });

  async function topUp(token: string, amount: number): Promise<void> {
    const url = site.url('console');
    const { id } = await consoleBody<{ id: string }>(url, 'POST', '/api/billing/payments', {
      token,
      status: 201,
      json: { provider: 'card_provider', amount },
    });
    await fetch(`${site.paymentsUrl}/orders/${id}/pay`, { method: 'POST' });
    await waitFor(async () => {
      const { balance } = await consoleBody<{ balance: unknown }>(url, 'GET', '/api/billing/settings', {
        token,
      });
      return Number(balance) === amount;
    });
  }

  /** Writes as much WAL as a busy database writes between two checkpoints. */
  async function writeWal(): Promise<void> {
    const client = new Client({ connectionString: site.databaseUrl });
    await client.connect();
    try {
      await client.query(
        `SELECT count(pg_logical_emit_message(false, '', repeat('.', 1000000))) FROM generate_series(1, $1)`,
        [WAL_MEGABYTES],
      );
    } finally {
      await client.end();
    }
  }

  /** Resolves when each kind of request has succeeded that was started from now on. */
  async function untilAllSucceed(): Promise<void> {
    const since = Date.now();
    await waitFor(() => {
      expect(traffic.withoutSuccessSince(since)).toEqual([]);
      return true;
    }, RECOVERY_MILLIS);
  }

  /** Counts what the customers notice while `run` runs and until all of them are served again. */
  async function observe(event: string, run: () => Promise<unknown>): Promise<Interruption[]> {
    const since = Date.now();
    await run();
    await untilAllSucceed();
    const kinds = interruptionsSince(traffic.outcomes, since);
    report.push(...kinds.map((kind): [string, Interruption] => [event, kind]));
    const total = kinds.reduce((sum, { requests }) => sum + requests, 0);
    const bad = kinds.filter(({ failed }) => failed > 0);
    process.stdout.write(
      [
        `${event}: ${seconds(since)} s, ${total} requests, longest gap of model calls ${gapOf(kinds)} s`,
        ...bad.map(
          ({ kind, failed, longestGapSeconds, faults }) =>
            `  ${kind}: ${failed} failed, longest gap ${longestGapSeconds} s: ${faults.join(' | ')}`,
        ),
        '',
      ].join('\n'),
    );
    return kinds;
  }

  const gapOf = (kinds: Interruption[]) =>
    kinds.find(({ kind }) => kind === 'model call')?.longestGapSeconds ?? Infinity;
  const failedOf = (kinds: Interruption[]) => kinds.filter(({ failed }) => failed > 0);

  /** Pulls the plug of a host until all customers are served without it. */
  async function withoutHost(name: string): Promise<void> {
    site.network.cut(name);
    try {
      await sleep(CUT_MILLIS);
      await untilAllSucceed();
    } finally {
      site.network.mend(name);
    }
  }

  async function restart(name: string): Promise<void> {
    const replica = site.replica(name);
    expect([name, await replica.stop()]).toEqual([name, 0]);
    await replica.start();
    await site.untilProxied([name]);
  }

  test('a rolling restart of every service fails no request', async () => {
    const kinds = await observe('rolling restart of every service', async () => {
      for (const number of [1, 2]) await Promise.all(APPS.map((app) => restart(`${app}-${number}`)));
    });
    expect(failedOf(kinds)).toEqual([]);
  });

  test.each(APPS)('the other replica serves when a host of %s is cut off', async (app) => {
    const name = `${app}-1`;
    await observe(`${name} cut off`, async () => {
      await withoutHost(name);
      await site.untilProxied([name]);
    });
  });

  test('a replica with a clock that is a minute ahead serves as the others do', async () => {
    const replica = site.replica('gateway-1');
    copyFileSync(FAKE_CLOCK, replica.container.fileOf('/usr/lib/libfaketime.so.1'));
    const clock = {
      LD_PRELOAD: '/usr/lib/libfaketime.so.1',
      FAKETIME: '+60s',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    const kinds = await observe('the clock of gateway-1 a minute ahead', async () => {
      await replica.stop();
      await replica.start(clock);
      await site.untilProxied(['gateway-1']);
      await sleep(CUT_MILLIS);
      await restart('gateway-1');
    });
    expect(failedOf(kinds)).toEqual([]);
  });

  test('a slow network makes requests slow', async () => {
    const kinds = await observe('512 kbit/s to gateway-1', async () => {
      site.network.slow('gateway-1', 512);
      await sleep(CUT_MILLIS);
      site.network.unslow('gateway-1');
    });
    expect(failedOf(kinds)).toEqual([]);
  });

  test('everything works without Redis', async () => {
    const kinds = await observe('Redis killed', async () => {
      await site.redis.kill();
      await sleep(CUT_MILLIS);
      await untilAllSucceed();
      site.redis.start();
    });
    expect(failedOf(kinds)).toEqual([]);
  });

  test('model calls wait for the model server to come back', async () => {
    await observe('model server cut off', async () => {
      site.network.cut('engine');
      await sleep(CUT_MILLIS);
      site.network.mend('engine');
    });
  });

  test.each(['replica', 'primary'])(
    'the database goes on when the host of its %s is cut off',
    async (role) => {
      const primary = await site.database.primary();
      const name = role === 'primary' ? primary! : DATABASE_HOSTS.find((host) => host !== primary)!;
      await writeWal();
      await observe(`${role} of the database cut off`, async () => {
        await withoutHost(name);
        await waitFor(() => site.database.untilComplete(), RECOVERY_MILLIS);
      });
    },
  );

  test('a replica takes over when the primary is killed', async () => {
    const primary = (await site.database.primary())!;
    await observe('primary of the database killed -9', async () => {
      site.database.killPostgres(primary);
      await sleep(CUT_MILLIS);
      await untilAllSucceed();
      await waitFor(() => site.database.untilComplete(), RECOVERY_MILLIS);
    });
    expect(await site.database.primary()).not.toBe(primary);
  });

  test('every acknowledged request is billed once, and every payment credited once', async () => {
    await traffic.stop();
    const { calls, paid } = traffic;
    const client = new Pool({ connectionString: site.databaseUrl, max: 1 });
    try {
      const complete = calls.filter((call) => call.complete);
      const costOf = ({ inputTokens, outputTokens }: CallUsage) =>
        BigInt(inputTokens + outputTokens) * TOKEN_PICOS;
      expect(await wronglyBilled(client, complete, costOf)).toEqual([]);
      expect(complete.length).toBeGreaterThan(0);
      const pending = async () => {
        const { rows } = await client.query(
          `SELECT id FROM billing.payments WHERE id = ANY ($1) AND status <> 'paid'`,
          [paid],
        );
        return rows;
      };
      await waitFor(async () => (await pending()).length === 0, RECOVERY_MILLIS);
      const { rows } = await client.query(
        `SELECT (SELECT count(*) FROM wallet.transfers WHERE kind = 'topup') AS credited,
           (SELECT count(*) FROM billing.payments WHERE status = 'paid') AS paid`,
      );
      expect(rows).toEqual([{ credited: rows[0].paid, paid: rows[0].paid }]);
      process.stdout.write(
        `${complete.length} acknowledged calls, ${paid.length} payments, none lost or doubled\n`,
      );
    } finally {
      await client.end();
    }
    const environment = { DATABASE_URL: site.databaseUrl };
    const command = ['node', 'dist/libs/metering/src/reconcile/command.js'];
    const { code, output } = await site.service('console').runCommand(command, environment);
    expect([code, output]).toEqual([0, expect.stringContaining('no difference')]);
  });
}

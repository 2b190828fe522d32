import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@inference/testing';
import { AgentCaller } from '../agent/agent-calls';
import { readRouterCost } from '../billing/router-cost-report';
import { APPS } from '../deployment/app-config';
import { ImageSite } from './image-site';
import { MemoCaller } from '../memo/memo-calls';
import { consoleBody } from '../site/console-client';
import { ROOT } from '../site/service-process';
import { type Customer, newCustomer, openForBusiness } from './site-customers';

/** Names that the compiled files of an image import, and that nothing in the image answers to. */
function unresolvedImports(root: string): string {
  const script = join(ROOT, 'tools/images/print-unresolved-imports.mjs');
  const folders = readdirSync(join(root, 'dist/apps')).filter((name) => name !== 'console-ui');
  return ['libs', ...folders.map((app) => `apps/${app}`)]
    .map((folder) =>
      execFileSync(process.execPath, [script, join(root, 'dist', folder)], { encoding: 'utf8' }),
    )
    .join('');
}

/** Names and versions of the packages that are installed below a folder. */
function installedPackages(folder: string): string[] {
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; name?: string }>;
  };
  return Object.entries(lock.packages)
    .filter(([place]) => existsSync(join(folder, place)))
    .map(([place, { name, version: locked }]) => `${name ?? place.split('node_modules/').at(-1)}@${locked}`);
}

/** Tests of every image, in a site in which each service runs on a host of its own. */
export function describeImages(imageOf: (app: string) => string, version: string): void {
  let site: ImageSite;
  let customer: Customer;

  beforeAll(async () => {
    site = new ImageSite({ imageOf });
    await site.start();
    await openForBusiness(site);
    customer = await newCustomer(site);
  });

  afterAll(async () => {
    await site?.stop();
  });

  const ask = <T>(method: string, path: string, json?: unknown, status = 200) =>
    consoleBody<T>(site.service('console').url, method, path, {
      token: customer.token,
      status,
      ...(json !== undefined && { json }),
    });
  const balance = async () =>
    Number((await ask<{ balance: unknown }>('GET', '/api/billing/settings')).balance);

  describe.each(APPS)('%s', (app) => {
    const rootOf = () => site.service(app).container.fileOf('/platform');

    test('runs as the first process, without root, and says what it is', () => {
      const service = site.service(app);
      expect(service.statusOf('NSpid').split(/\s+/).at(-1)).toBe('1');
      expect(service.statusOf('Uid')).toMatch(/^1000\s+1000\s+1000\s+1000$/);
      expect(service.container.config).toMatchObject({
        User: '1000:1000',
        Labels: {
          'org.opencontainers.image.title': `inference-platform/${app}`,
          'org.opencontainers.image.version': version,
        },
      });
    });

    test('starts with `buildah run`, too', () => site.service(app).probeWithBuildah());

    test('holds the code and the packages of this app only', () => {
      const apps = readdirSync(join(rootOf(), 'dist/apps'));
      expect(apps.filter((name) => name !== 'console-ui')).toEqual([app]);
      expect(apps.includes('console-ui')).toBe(app === 'console');
      expect(unresolvedImports(rootOf())).toBe('');
      const packages = installedPackages(rootOf()).join(' ');
      const owners = { stripe: ['console'], 'pdfjs-dist': ['memo'], 'gpt-tokenizer': ['agent', 'gateway'] };
      for (const [name, users] of Object.entries(owners))
        expect([name, packages.includes(` ${name}@`)]).toEqual([name, users.includes(app)]);
      expect(packages).not.toMatch(/ (typescript|jest|nx|@swc\/core)@/);
    });

    test('lists its packages in the software bill of materials', () => {
      const { components } = JSON.parse(readFileSync(join(rootOf(), 'sbom.cdx.json'), 'utf8')) as {
        components: { name: string; version: string }[];
      };
      const listed = components.map(({ name, version: locked }) => `${name}@${locked}`);
      expect([...new Set(listed)].sort()).toEqual([...new Set(installedPackages(rootOf()))].sort());
    });

    test('answers /metrics on the port of its own', async () => {
      const { url, metricsUrl } = site.service(app);
      expect(await (await fetch(metricsUrl)).text()).toContain('process_cpu_seconds_total');
      expect((await fetch(`${url}/metrics`)).status).toBe(404);
    });
  });

  test('a top-up is credited', async () => {
    const payment = await ask<{ id: string }>(
      'POST',
      '/api/billing/payments',
      { provider: 'card_provider', amount: 50 },
      201,
    );
    const paid = await fetch(`${site.paymentsUrl}/orders/${payment.id}/pay`, { method: 'POST' });
    expect(paid.status).toBe(200);
    await waitFor(async () => (await balance()) === 50);
  });

  test('a model call is charged at the published price, in every report', async () => {
    const response = await fetch(`${site.service('gateway').url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${customer.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        model: site.variables.DEFAULT_MODEL,
        max_tokens: 64,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
    const { usage } = (await response.json()) as { usage: { total_tokens: number } };
    expect([response.status, usage.total_tokens]).toEqual([200, expect.any(Number)]);
    const cost = (usage.total_tokens * 2) / 1e6;
    await waitFor(async () => Math.abs(50 - (await balance()) - cost) < 1e-12);
    const { usage: rows } = await ask<{ usage: { cost: unknown }[] }>('GET', '/api/billing/usage');
    expect(rows.map((row) => Number(row.cost))).toEqual([cost]);
    const bearer = { Authorization: `Bearer ${customer.apiKey}` };
    const [report] = await readRouterCost(site.service('router-cost').url, bearer);
    expect(report?.costUsdPicos).toBe(BigInt(usage.total_tokens) * 2_000_000n);
  });

  test('an agent streams its turn', async () => {
    const agent = new AgentCaller(site.service('agent').url, customer.apiKey);
    const stream = await agent.stream('first-session', 'Hello');
    await stream.end;
    expect(stream.events.at(-1)?.event).toBe('turn.completed');
    expect(stream.text).not.toBe('');
  });

  test('a workspace answers from its document', async () => {
    const memo = new MemoCaller(site.service('memo').url, { Authorization: `Bearer ${customer.token}` });
    const workspace = await memo.newWorkspace();
    const text = 'Refunds are issued within five days of the return.';
    await memo.addDocument(workspace, { title: 'Refund policy', text });
    const response = await memo.chat(workspace, 'Within how many days are refunds issued?');
    const answer = await response.text();
    expect([response.status, answer]).toEqual([200, expect.stringContaining('data: Citations: ')]);
    expect(answer).not.toContain('event: error');
  });

  test('the console can keep packages in a bucket', async () => {
    const command = ['node', '-e', "require('/platform/dist/libs/storage/src/s3-storage.js')"];
    expect(await site.service('console').runCommand(command)).toEqual({ code: 0, output: '' });
  });

  test('the books agree', async () => {
    const environment = { DATABASE_URL: site.databaseUrl };
    const command = ['node', 'dist/libs/metering/src/reconcile/command.js'];
    const { code, output } = await site.service('console').runCommand(command, environment);
    expect([code, output]).toEqual([0, expect.stringContaining('no difference')]);
  });

  test('each service ends on SIGTERM', async () => {
    const endings = await Promise.all(APPS.map(async (app) => [app, await site.service(app).stop()]));
    expect(endings).toEqual(APPS.map((app) => [app, 0]));
  });
}

import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findFreePortRange, isFree, waitFor } from '@inference/testing';
import { consoleBody } from '../site/console-client';
import {
  expectAnswer,
  expectHealthy,
  expectMetrics,
  expectNothingLeft,
  expectOpenToPages,
  expectOwnCookies,
  expectTopup,
  expectUsable,
  expectVisibleStream,
  readCatalogue,
  SERVICES,
} from './site-checks';
import { POSTGRES_OFFSET, readJson, type Run, SITE_PORTS, SiteRuns } from './site-runs';

jest.setTimeout(900_000);

const OIDC_OFFSET = 11;
const PAYMENTS_OFFSET = 12;
const CODE_HOST_OFFSET = 13;

const SECRET = expect.stringMatching(/^[0-9a-f]{64}$/);

/** External systems that replace the sandboxes. None of them exists, but the test does not use them. */
const EXTERNAL_SYSTEMS = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'platform@example.com',
  OAUTH_PROVIDERS: JSON.stringify([
    { name: 'own', issuer: 'http://127.0.0.1:9', client_id: 'platform', client_secret: 'no-secret-at-all' },
  ]),
  STRIPE_SECRET_KEY: 'sk_test_nobodyIsThere0000',
  STRIPE_WEBHOOK_SECRETS: 'whsec_nobodyIsThere0000',
  STRIPE_API_URL: 'http://127.0.0.1:9',
  RELEASE_REPOSITORIES: '{"engine":"nobody/engine"}',
  CODE_HOST_URL: 'http://127.0.0.1:9',
  CODE_HOST_API_URL: 'http://127.0.0.1:9/api',
};

type Secrets = Record<string, unknown>;

let runs: SiteRuns;

beforeAll(() => (runs = new SiteRuns()));
afterAll(() => runs.cleanUp());

test('lists all invalid settings, exits with 1 and creates no data folder', async () => {
  const launcher = runs.launch({
    SITE: 'moon',
    PORT_BASE: '65530',
    LOG_LEVEL: 'loud',
    ENGINE_API_KEY: 'a-key-without-an-engine',
    ENGINE_TOKENS_PER_SECOND: 'fast',
    DATA_DIR: join(runs.folder, 'unused'),
  });
  expect(await launcher.ended).toBe(1);
  for (const fault of [
    'SITE must be',
    'PORT_BASE must be',
    'LOG_LEVEL must be',
    'ENGINE_API_KEY requires',
    'ENGINE_TOKENS_PER_SECOND must be',
  ])
    expect(launcher.output).toContain(`- ${fault}`);
  expect(existsSync(join(runs.folder, 'unused'))).toBe(false);
});

test('leaves no data folder behind if a port is taken', async () => {
  const portBase = await findFreePortRange(SITE_PORTS);
  const server = createServer().listen(portBase, '127.0.0.1');
  await once(server, 'listening');
  const dataDir = join(runs.folder, 'parent', 'data');
  const launcher = runs.launch({ PORT_BASE: String(portBase), DATA_DIR: dataDir });
  expect(await launcher.ended).toBe(1);
  server.close();
  expect(launcher.output).toContain(`- port ${portBase} (for console) is taken`);
  expect(existsSync(join(runs.folder, 'parent'))).toBe(false);
});

describe('the sites', () => {
  let intl: Run;
  let cn: Run;
  let cnCatalogue: Awaited<ReturnType<typeof readCatalogue>>;

  beforeAll(async () => {
    intl = await runs.newRun();
    cn = await runs.newRun({ SITE: 'cn' });
  });

  test('start at the same time on new data folders, and describe themselves in platform.json', async () => {
    await intl.start();
    await cn.start();
    const url = (offset: number) => `http://127.0.0.1:${intl.portBase + offset}`;
    const account = {
      identifier: expect.stringContaining('@'),
      password: expect.any(String),
      apiKey: expect.stringMatching(/^bfvk-/),
    };
    expect(intl.platform).toEqual({
      site: 'intl',
      urls: Object.fromEntries(SERVICES.map((name, offset) => [name, url(offset)])),
      accounts: { demo: account, admin: account },
      memo: { workspaceId: expect.stringMatching(/^ws_/), apiKey: expect.stringMatching(/^sk_/) },
      database: { url: expect.stringContaining(`@127.0.0.1:${intl.portBase + POSTGRES_OFFSET}/platform`) },
      sandbox: {
        code_host: url(CODE_HOST_OFFSET),
        engine: url(10),
        mail: join(intl.dataDir, 'mail'),
        oidc: url(OIDC_OFFSET),
        payments: url(PAYMENTS_OFFSET),
      },
    });
    expect(intl.launcher.output).toContain(join(intl.dataDir, 'mail'));
    expect(readdirSync(join(intl.dataDir, 'mail'))).toEqual([]);
    expect(cn.platform.site).toBe('cn');
  });

  test('answer requests', async () => {
    await expectHealthy(intl.platform);
    await expectHealthy(cn.platform);
    await expectMetrics(intl);
    await expectMetrics(cn);
    await expectUsable(intl.platform, 'USD');
    await expectUsable(cn.platform, 'CNY');
    await expectOwnCookies(intl);
    await expectOwnCookies(cn);
    await expectOpenToPages(intl.platform);
    await expectVisibleStream(intl.platform);
    await expectAnswer(intl.platform, 'How much credit does the demo account begin with?', '25 dollars');
    await expectAnswer(cn.platform, '演示账户的初始额度是多少？', '25 元');
  });

  test('write mails to a folder, and redirect an OAuth login to the sandbox', async () => {
    const { urls, sandbox } = intl.platform;
    const json = { email: 'somebody@example.com', password: 'correct horse battery' };
    await consoleBody(urls.console!, 'POST', '/api/auth/register', { json, status: 201 });
    await waitFor(() => readdirSync(sandbox.mail!).some((name) => name.endsWith('.eml')));
    const led = await fetch(`${urls.console}/api/auth/oauth/sandbox`, { redirect: 'manual' });
    expect([led.status, led.headers.get('location')]).toEqual([302, expect.stringContaining(sandbox.oidc!)]);
    // The sandbox redirects to its page. It would answer 400 for an unknown client or redirect URI.
    const asked = await fetch(led.headers.get('location')!, { redirect: 'manual' });
    expect(asked.status).toBe(303);
  });

  test('top up with the payment sandbox', async () => {
    await expectTopup(intl.platform, 'card_provider');
    for (const provider of ['messaging_pay_provider', 'wallet_pay_provider'])
      await expectTopup(cn.platform, provider);
    expect(intl.launcher.output).toContain(`/api/billing/payments`);
    expect(intl.launcher.output).toContain(intl.platform.sandbox.payments);
  });

  test('publish the releases of the code host sandbox', async () => {
    for (const { urls, sandbox } of [intl.platform, cn.platform]) {
      for (const [component, files] of Object.entries({ engine: 12, router: 12, agent: 6, memo: 6 })) {
        const { assets } = await waitFor(async () => {
          const answer = await fetch(`${urls.console}/api/download/${component}-latest`);
          return (
            answer.status === 200 && ((await answer.json()) as { assets: { url: string; size: number }[] })
          );
        });
        expect(assets).toHaveLength(files);
        const { url, size } = assets[0]!;
        expect(url).toContain(sandbox.code_host);
        expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(size);
      }
    }
  });

  test('publish packages of priced models', async () => {
    for (const { platform } of [intl, cn]) {
      const { priced, packages } = await readCatalogue(platform);
      expect(packages).toEqual(['sandbox-chat', 'sandbox-embed', 'sandbox-mini']);
      const slugs = new Set(priced.map((price) => price.split(' ')[0]!));
      expect([...slugs]).toEqual(expect.arrayContaining(packages));
    }
    cnCatalogue = await readCatalogue(cn.platform);
  });

  test('stop all their processes on SIGTERM', async () => {
    await Promise.all([intl, cn].map((run) => expectNothingLeft(run)));
  });

  test('start on a data folder of an earlier version, with external systems instead of sandboxes', async () => {
    const before = intl.platform;
    // An earlier version had no upstreams in the database and no download links, and published one package.
    const { format, upstreamEncryptionKeys, downloadLinkSecrets, ...others } = readJson<Secrets>(
      intl.dataDir,
      'secrets.json',
    );
    const { packages, ...seeded } = others.seeded as Secrets;
    expect(packages).toEqual(['sandbox-chat', 'sandbox-mini', 'sandbox-embed']);
    expect([format, upstreamEncryptionKeys, downloadLinkSecrets]).toEqual([1, [SECRET], [SECRET]]);
    const earlier = { ...others, seeded: { ...seeded, model: true } };
    writeFileSync(join(intl.dataDir, 'secrets.json'), JSON.stringify(earlier));
    await intl.start(EXTERNAL_SYSTEMS);
    expect(intl.platform).toEqual({ ...before, sandbox: { engine: before.sandbox.engine } });
    for (const offset of [OIDC_OFFSET, PAYMENTS_OFFSET, CODE_HOST_OFFSET])
      expect([offset, await isFree(intl.portBase + offset)]).toEqual([offset, true]);
    expect(readJson(intl.dataDir, 'secrets.json')).toEqual({
      ...others,
      format,
      upstreamEncryptionKeys: [SECRET],
      downloadLinkSecrets: [SECRET],
    });
    const unpublished = await fetch(`${intl.platform.urls.console}/api/download/router-latest`);
    expect(unpublished.status).toBe(404);
    await expectUsable(intl.platform, 'USD');
    await expectNothingLeft(intl);
  });

  test('keep the catalogue and the orders of the payment sandbox after a restart, and generate missing credentials', async () => {
    const orders = async () => {
      const list = await fetch(cn.platform.sandbox.payments!, { headers: { Accept: 'application/json' } });
      return ((await list.json()) as { orders: { status: string }[] }).orders.map(({ status }) => status);
    };
    const { payments, ...others } = readJson<Secrets>(cn.dataDir, 'secrets.json');
    expect(payments).toBeDefined();
    writeFileSync(join(cn.dataDir, 'secrets.json'), JSON.stringify(others));
    await cn.start();
    expect(readJson<Secrets>(cn.dataDir, 'secrets.json').payments).not.toEqual(payments);
    expect(await orders()).toEqual(['paid', 'paid']);
    expect(await readCatalogue(cn.platform)).toEqual(cnCatalogue);
    await expectTopup(cn.platform, 'messaging_pay_provider');
    expect(await orders()).toEqual(['paid', 'paid', 'paid']);
    await expectNothingLeft(cn);
  });
});

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberEnvironment, rememberSecret, testLog, waitFor } from '@inference/testing';
import { consoleBody } from './console-client';
import { LauncherProcess } from './launcher-process';
import { findFreePortRange, isFree } from './ports';
import { rawCall } from './raw-calls';

jest.setTimeout(900_000);

/** The farthest that a site's ports reach from the first one, which is PostgreSQL's. */
const POSTGRES_OFFSET = 20;
const OIDC_OFFSET = 11;
const PAYMENTS_OFFSET = 12;
const CODE_HOST_OFFSET = 13;
const SERVICES = ['console', 'training', 'routerCost', 'agent', 'memo', 'agentEnvironments', 'gateway'];

const SECRET = expect.stringMatching(/^[0-9a-f]{64}$/);

/** Nobody is there, which only those will notice who sign in with it, pay or wait for a mail. */
const OUTSIDE_PARTIES = {
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

interface Account {
  identifier: string;
  password: string;
  apiKey: string;
}

interface Platform {
  site: string;
  urls: Record<string, string>;
  accounts: { demo: Account; admin: Account };
  memo: { workspaceId: string; apiKey: string };
  database: { url: string };
  sandbox: { engine?: string; mail?: string; oidc?: string; payments?: string; code_host?: string };
}

type Environment = Record<string, string>;
type Secrets = Record<string, unknown>;

interface KeptSecrets {
  payments: { console: Environment };
  downloadLinkSecrets: string[];
}

/** One data folder, over its starts. */
interface Run {
  dataDir: string;
  portBase: number;
  /** Of the latest start. */
  launcher: LauncherProcess;
  platform: Platform;
  start(environment?: Environment): Promise<void>;
}

const launchers: LauncherProcess[] = [];
const dataDirs = new Set<string>();
let folder: string;

beforeAll(() => (folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'launcher-spec-'))));
afterAll(async () => {
  await Promise.all(launchers.map((launcher) => launcher.stop()));
  for (const dataDir of dataDirs)
    for (const name of readdirSync(join(dataDir, 'logs')))
      testLog('launcher').write(readFileSync(join(dataDir, 'logs', name)));
  rmSync(folder, { recursive: true, force: true });
});

function launch(environment: Environment): LauncherProcess {
  const launcher = new LauncherProcess(environment);
  launchers.push(launcher);
  return launcher;
}

async function newRun(settings: Environment = {}): Promise<Run> {
  const portBase = await findFreePortRange(POSTGRES_OFFSET + 1);
  const run = { dataDir: join(folder, String(portBase)), portBase } as Run;
  const always = { DATA_DIR: run.dataDir, PORT_BASE: String(portBase), LOG_LEVEL: 'trace', ...settings };
  run.start = async (environment) => {
    run.launcher = launch({ ...always, ...environment });
    await run.launcher.untilRunning();
    dataDirs.add(run.dataDir);
    run.platform = readJson<Platform>(run.dataDir, 'platform.json');
    for (const { password, apiKey } of Object.values(run.platform.accounts))
      [password, apiKey].forEach(rememberSecret);
    rememberSecret(run.platform.memo.apiKey);
    const { payments, downloadLinkSecrets } = readJson<KeptSecrets>(run.dataDir, 'secrets.json');
    rememberEnvironment(payments.console);
    downloadLinkSecrets.forEach(rememberSecret);
  };
  return run;
}

const readJson = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8')) as T;

async function expectHealthy({ urls, sandbox }: Platform): Promise<void> {
  const { engine, oidc, payments, code_host: codeHost } = sandbox;
  for (const url of [...Object.values(urls), engine!, oidc!, payments!, codeHost!]) {
    const { status } = await fetch(`${url}/healthz`);
    expect([url, status]).toEqual([url, 200]);
  }
}

/** Signs in, looks at the wallet and asks a model. */
async function expectUsable({ urls, accounts }: Platform, currency: string): Promise<void> {
  const { identifier, password, apiKey } = accounts.demo;
  const session = await consoleBody<{ token: string }>(urls.console!, 'POST', '/api/auth/login', {
    json: { identifier, password },
  });
  const settings = await consoleBody<{ currency: string }>(
    urls.console!,
    'GET',
    '/api/billing/settings',
    session,
  );
  expect(settings.currency).toBe(currency);
  const body = { model: 'sandbox-chat', max_tokens: 4, messages: [{ role: 'user', content: 'Hello' }] };
  expect(await rawCall({ gatewayUrl: urls.gateway!, apiKey, body })).toMatchObject({
    status: 200,
    complete: true,
  });
}

/** Asks the workspace that the first start has made. */
async function expectAnswer({ urls, memo }: Platform, query: string, answer: string): Promise<void> {
  await waitFor(async () => {
    const response = await fetch(`${urls.memo}/v1/workspaces/${memo.workspaceId}/chat`, {
      method: 'POST',
      headers: { 'X-API-Key': memo.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const text = await response.text();
    return text.includes(answer) && text.includes('\ndata: Citations: [1]');
  });
}

/** Tops up as the launcher says that one can, and sees the money arrive. */
async function expectTopup({ urls, accounts, sandbox }: Platform, provider: string): Promise<void> {
  const { identifier, password } = accounts.demo;
  const { token } = await consoleBody<{ token: string }>(urls.console!, 'POST', '/api/auth/login', {
    json: { identifier, password },
  });
  const ask = <T>(method: string, path: string, options: { json?: unknown; status?: number } = {}) =>
    consoleBody<T>(urls.console!, method, path, { token, ...options });
  const balance = async () =>
    Number((await ask<{ balance: unknown }>('GET', '/api/billing/settings')).balance);
  const before = await balance();
  const payment = await ask<{ id: string; checkout: { url: string } }>('POST', '/api/billing/payments', {
    json: { provider, amount: 50 },
    status: 201,
  });
  expect(payment.checkout.url).toContain(sandbox.payments);
  const paid = await fetch(`${sandbox.payments}/orders/${payment.id}/pay`, { method: 'POST' });
  expect(paid.status).toBe(200);
  await waitFor(async () => {
    const { status } = await ask<{ status: string }>('GET', `/api/billing/payments/${payment.id}`);
    return status === 'paid';
  });
  expect(await balance()).toBeCloseTo(before + 50, 6);
}

/** Tells the launcher to end, and looks for what it had started. */
async function expectNothingLeft({ launcher, dataDir, portBase }: Run): Promise<void> {
  const members = readJson<{ pid: number }[]>(dataDir, 'running.lock', 'members.json');
  const started = members.map(({ pid }) => pid);
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
  expect(started).toContain(postmaster);
  expect(started.length).toBeGreaterThan(SERVICES.length);
  expect(await launcher.stop()).toBe(0);
  expect(started.filter(isRunning)).toEqual([]);
  for (let port = portBase; port <= portBase + POSTGRES_OFFSET; port++)
    expect([port, await isFree(port)]).toEqual([port, true]);
}

/** A process that has ended but that nobody has waited for does not run. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}

test('names everything that is wrong with its settings, and exits with 1', async () => {
  const launcher = launch({
    SITE: 'moon',
    PORT_BASE: '65530',
    LOG_LEVEL: 'loud',
    ENGINE_API_KEY: 'a-key-without-an-engine',
    DATA_DIR: join(folder, 'unused'),
  });
  expect(await launcher.ended).toBe(1);
  for (const name of ['SITE must be', 'PORT_BASE must be', 'LOG_LEVEL must be', 'ENGINE_API_KEY is set'])
    expect(launcher.output).toContain(`- ${name}`);
});

describe('the sites', () => {
  let intl: Run;
  let cn: Run;

  beforeAll(async () => {
    intl = await newRun();
    cn = await newRun({ SITE: 'cn' });
  });

  test('start from nothing, side by side, and write down where everything is', async () => {
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
    expect(cn.platform.site).toBe('cn');
  });

  test('serve', async () => {
    await expectHealthy(intl.platform);
    await expectHealthy(cn.platform);
    await expectUsable(intl.platform, 'USD');
    await expectUsable(cn.platform, 'CNY');
    await expectAnswer(intl.platform, 'How much credit does the demo account begin with?', '25 dollars');
    await expectAnswer(cn.platform, '演示账户的初始额度是多少？', '25 元');
  });

  test('keep their mails in a folder, and let people sign in at the sandbox', async () => {
    const { urls, sandbox } = intl.platform;
    const json = { email: 'somebody@example.com', password: 'correct horse battery' };
    await consoleBody(urls.console!, 'POST', '/api/auth/register', { json, status: 201 });
    const mails = () => (existsSync(sandbox.mail!) ? readdirSync(sandbox.mail!) : []);
    await waitFor(() => mails().some((name) => name.endsWith('.eml')));
    const led = await fetch(`${urls.console}/api/auth/oauth/sandbox`, { redirect: 'manual' });
    expect([led.status, led.headers.get('location')]).toEqual([302, expect.stringContaining(sandbox.oidc!)]);
    // On to its page; a client, or a way back, that it does not know would be refused with 400.
    const asked = await fetch(led.headers.get('location')!, { redirect: 'manual' });
    expect(asked.status).toBe(303);
  });

  test('take money at the sandbox', async () => {
    await expectTopup(intl.platform, 'card_provider');
    for (const provider of ['messaging_pay_provider', 'wallet_pay_provider'])
      await expectTopup(cn.platform, provider);
    expect(intl.launcher.output).toContain(`/api/billing/payments`);
    expect(intl.launcher.output).toContain(intl.platform.sandbox.payments);
  });

  test('publish what lies at the sandbox as the newest releases', async () => {
    for (const { urls, sandbox } of [intl.platform, cn.platform]) {
      for (const component of ['engine', 'router', 'agent', 'memo']) {
        const { assets } = await waitFor(async () => {
          const answer = await fetch(`${urls.console}/api/download/${component}-latest`);
          return (
            answer.status === 200 && ((await answer.json()) as { assets: { url: string; size: number }[] })
          );
        });
        expect(assets).toHaveLength(6);
        const { url, size } = assets[0]!;
        expect(url).toContain(sandbox.code_host);
        expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(size);
      }
    }
  });

  test('end on SIGTERM with everything that they have started', async () => {
    await Promise.all([intl, cn].map((run) => expectNothingLeft(run)));
  });

  test('go on from a folder of an earlier version, with outside parties of one’s own', async () => {
    const before = intl.platform;
    // As it was before there was encryption, and before there were files to download.
    const { encryptionKeys, downloadLinkSecrets, ...others } = readJson<Secrets>(
      intl.dataDir,
      'secrets.json',
    );
    expect([encryptionKeys, downloadLinkSecrets]).toEqual([[SECRET], [SECRET]]);
    writeFileSync(join(intl.dataDir, 'secrets.json'), JSON.stringify(others));
    await intl.start(OUTSIDE_PARTIES);
    expect(intl.platform).toEqual({ ...before, sandbox: { engine: before.sandbox.engine } });
    for (const offset of [OIDC_OFFSET, PAYMENTS_OFFSET, CODE_HOST_OFFSET])
      expect([offset, await isFree(intl.portBase + offset)]).toEqual([offset, true]);
    expect(readJson(intl.dataDir, 'secrets.json')).toEqual({
      ...others,
      encryptionKeys: [SECRET],
      downloadLinkSecrets: [SECRET],
    });
    const unpublished = await fetch(`${intl.platform.urls.console}/api/download/router-latest`);
    expect(unpublished.status).toBe(404);
    await expectUsable(intl.platform, 'USD');
    await expectNothingLeft(intl);
  });

  test('know their orders at the sandbox after another start, and make what credentials are missing', async () => {
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
    await expectTopup(cn.platform, 'messaging_pay_provider');
    expect(await orders()).toEqual(['paid', 'paid', 'paid']);
    await expectNothingLeft(cn);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFree, rememberAnswer, waitFor } from '@inference/testing';
import { rawCall } from '../load/raw-calls';
import { consoleBody } from '../site/console-client';
import { METRICS_OFFSET, type Platform, readJson, type Run, SITE_PORTS } from './site-runs';

/** The keys of `urls` in platform.json, in the order of their ports. */
export const SERVICES = [
  'console',
  'training',
  'routerCost',
  'agent',
  'memo',
  'agentEnvironments',
  'gateway',
];

export async function expectHealthy({ urls, sandbox }: Platform): Promise<void> {
  const { engine, oidc, payments, code_host: codeHost } = sandbox;
  for (const url of [...Object.values(urls), engine!, oidc!, payments!, codeHost!]) {
    const { status } = await fetch(`${url}/healthz`);
    expect([url, status]).toEqual([url, 200]);
  }
}

/** The metrics are on ports of their own, in the order of the services, and not on the public ones. */
export async function expectMetrics({ platform, portBase }: Run): Promise<void> {
  for (const [offset, name] of SERVICES.entries()) {
    const metrics = await fetch(`http://127.0.0.1:${portBase + METRICS_OFFSET + offset}/metrics`);
    expect([name, await metrics.text()]).toEqual([
      name,
      expect.stringContaining('process_cpu_seconds_total'),
    ]);
    expect([name, (await fetch(`${platform.urls[name]}/metrics`)).status]).toEqual([name, 404]);
  }
}

/** Checks a login, the currency of the wallet, the addresses of the site, a model call and the prices of training. */
export async function expectUsable({ urls, accounts }: Platform, currency: string): Promise<void> {
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
  const site = await consoleBody<{ urls: object }>(urls.console!, 'GET', '/api/site', {});
  expect(site.urls).toMatchObject({ gateway: urls.gateway, environments: urls.agentEnvironments });
  const headers = { Authorization: `Bearer ${apiKey}` };
  expect((await fetch(`${urls.training}/v1/capabilities`, { headers })).status).toBe(200);
}

/** Checks that the cookies of a sign-in have the port in their names, and that console and router-cost know them by these. */
export async function expectOwnCookies({ platform: { urls, accounts }, portBase }: Run): Promise<void> {
  const { identifier, password } = accounts.demo;
  const login = await fetch(`${urls.console}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ identifier, password }),
  });
  rememberAnswer(login.headers, await login.json());
  const [session = '', refresh = ''] = login.headers.getSetCookie().map((line) => line.split(';')[0]!);
  expect(session).toMatch(new RegExp(`^session_${portBase}=`));
  expect(refresh).toMatch(new RegExp(`^refresh_${portBase}=`));
  const refreshed = await fetch(`${urls.console}/api/auth/refresh`, {
    method: 'POST',
    headers: { Cookie: refresh },
  });
  rememberAnswer(refreshed.headers, await refreshed.json());
  expect(refreshed.status).toBe(200);
  const report = await fetch(`${urls.routerCost}/v1/router/cost`, { headers: { Cookie: session } });
  expect(report.status).toBe(200);
}

/** Checks that the pages of the console may call the services that they call at their own addresses. */
export async function expectOpenToPages({ urls }: Platform): Promise<void> {
  const { origin } = new URL(urls.console!);
  for (const url of [urls.memo, urls.training, urls.routerCost]) {
    const { headers } = await fetch(`${url}/healthz`, { headers: { Origin: origin } });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
  }
}

/** Checks that an answer of 64 tokens is streamed as 64 chunks, at a pace at which a person sees a stream. */
export async function expectVisibleStream({ urls, accounts }: Platform): Promise<void> {
  const response = await fetch(`${urls.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${accounts.demo.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox-chat',
      max_tokens: 64,
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });
  const startedAt = performance.now();
  let text = '';
  let reads = 0;
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    reads += 1;
  }
  expect(text.match(/"delta":\{"content":"[^"]+"/g)).toHaveLength(64);
  // 50 tokens a second.
  expect(performance.now() - startedAt).toBeGreaterThan(1_000);
  // Two chunks may arrive together on a busy machine.
  expect(reads).toBeGreaterThan(32);
}

interface Catalogue {
  /** Slugs and units of the prices. */
  priced: string[];
  /** Slugs of the published packages. */
  packages: string[];
  /** Names of the files of the newest releases, by component. */
  files: Record<string, string[]>;
}

/** What the site offers: prices, packages and releases. */
export async function readCatalogue({ urls }: Platform): Promise<Catalogue> {
  const read = async <T>(path: string) => (await fetch(`${urls.console}/api/${path}`)).json() as Promise<T>;
  const { models: prices } = await read<{ models: { slug: string; unit: string }[] }>('pricing');
  const { models } = await read<{ models: { slug: string }[] }>('models');
  const files: Catalogue['files'] = {};
  for (const component of ['engine', 'router', 'agent', 'memo']) {
    const { assets } = await read<{ assets: { name: string }[] }>(`download/${component}-latest`);
    files[component] = assets.map(({ name }) => name);
  }
  return {
    priced: prices.map(({ slug, unit }) => `${slug} ${unit}`).sort(),
    packages: models.map(({ slug }) => slug).sort(),
    files,
  };
}

/** Checks that the workspace of the first start answers a question from its document. */
export async function expectAnswer({ urls, memo }: Platform, query: string, answer: string): Promise<void> {
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

/** Checks a top-up with the payment sandbox, as the output of the launcher describes it. */
export async function expectTopup({ urls, accounts, sandbox }: Platform, provider: string): Promise<void> {
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

/** Stops the launcher, and checks that all its processes have ended and all ports are free. */
export async function expectNothingLeft({ launcher, dataDir, portBase }: Run): Promise<void> {
  const members = readJson<{ pid: number }[]>(dataDir, 'running.lock', 'members.json');
  const started = members.map(({ pid }) => pid);
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
  expect(started).toContain(postmaster);
  expect(started.length).toBeGreaterThan(SERVICES.length);
  expect(await launcher.stop()).toBe(0);
  expect(started.filter(isRunning)).toEqual([]);
  for (let port = portBase; port < portBase + SITE_PORTS; port++)
    expect([port, await isFree(port)]).toEqual([port, true]);
}

/** False for a zombie process, too. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  createTestDatabase,
  findFreePort,
  type ServiceRole,
  TEST_API_KEY_HASH_SECRET,
  type TestDatabase,
  testLog,
  waitFor,
} from '@inference/testing';

const APPS = join(__dirname, '../../../../dist/apps');
const START_MILLIS = 60_000;

const GATEWAY: NodeJS.ProcessEnv = { GATEWAY_URL: 'http://127.0.0.1:1' };
const CALLER = { ...GATEWAY, GATEWAY_CREDENTIAL: randomBytes(32).toString('hex') };
const SERVICES: [app: string, role: ServiceRole, own: NodeJS.ProcessEnv][] = [
  ['agent', 'agent', { ...CALLER, DEFAULT_MODEL: 'any' }],
  ['memo', 'memo', CALLER],
  ['training', 'training', {}],
  ['router-cost', 'router_cost', {}],
];

describe.each(SERVICES)('%s, built and started alone', (app, role, own) => {
  let database: TestDatabase;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  afterAll(() => database.drop());

  function start(environment: NodeJS.ProcessEnv) {
    const child = spawn(process.execPath, [join(APPS, app, 'src/main.js')], {
      env: { PATH: process.env.PATH, ...environment },
    });
    children.push(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      const log = testLog(app);
      stream.on('data', (chunk: Buffer) => {
        log.write(chunk);
        text += chunk.toString();
      });
    }
    return { child, output: () => text };
  }

  const environment = (port: number, databaseUrl: string): NodeJS.ProcessEnv => ({
    SITE: 'intl',
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    CONSOLE_URL: 'http://127.0.0.1:1',
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
    ...own,
  });

  async function running(databaseUrl: string) {
    const port = await findFreePort();
    const metricsPort = await findFreePort();
    const METRICS_PORT = String(metricsPort);
    const started = start({ ...environment(port, databaseUrl), METRICS_PORT });
    const url = `http://127.0.0.1:${port}`;
    const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    await waitFor(() => fetch(metricsUrl).then(({ ok }) => ok), START_MILLIS);
    return { ...started, url, metricsUrl };
  }

  it('needs no configuration but its environment, and ends on SIGTERM', async () => {
    const { child, url, metricsUrl } = await running(database.urlFor(role));
    const health = await fetch(`${url}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    expect(await (await fetch(metricsUrl)).text()).toContain('process_cpu_seconds_total');
    const unknown = await fetch(`${url}/nothing`);
    // An error of its own shape, in the envelope at training.
    const body = (await unknown.json()) as { error?: string; message?: string };
    expect([unknown.status, body.error ?? body.message]).toEqual([404, 'not found']);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  it('starts without its database and reports it as unavailable', async () => {
    const { url } = await running('postgres://u:p@127.0.0.1:1/none');
    const health = await fetch(`${url}/healthz`);
    expect([health.status, await health.json()]).toEqual([503, { error: 'database unavailable' }]);
  });

  it('names everything that is missing from its environment and exits with 1', async () => {
    const { child, output } = start({});
    expect(await once(child, 'close')).toEqual([1, null]);
    for (const name of [
      'SITE',
      'PORT',
      'DATABASE_URL',
      'CONSOLE_URL',
      'API_KEY_HASH_SECRET',
      ...Object.keys(own),
    ])
      expect(output()).toContain(`${name}: is missing`);
  });

  it('keeps credentials out of its log', async () => {
    const secret = 'do-not-log-this';
    const headers = {
      Authorization: `Bearer ${secret}`,
      Cookie: `session=${secret}`,
      'X-Request-Id': 'trace-7',
    };
    const { url, output } = await running(database.urlFor(role));
    await fetch(`${url}/v1/nothing?token=${secret}`, { headers });
    await fetch(`${url}/nothing?token=${secret}`, { headers });
    await waitFor(() => output().split('trace-7').length > 2);
    expect(output()).toContain('"path":"/v1/nothing"');
    expect(output()).not.toContain(secret);
  });
});

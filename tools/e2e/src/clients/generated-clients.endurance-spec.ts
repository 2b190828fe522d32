import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from '@swc/core';
import { createTestDatabase, publishPrices, rememberSecret, type TestDatabase } from '@inference/testing';
import { ROOT } from '../site/service-process';
import { Site } from '../site/site';
import { createAdmin } from '../site/create-admin';

const DOCUMENTS = join(ROOT, 'docs/reference/openapi');
const SERVICES = readdirSync(DOCUMENTS).map((file) => file.replace('.json', ''));
const ADMIN = { email: 'admin@example.com', password: 'admin password of this test' };

/** Uses only what the documents say: a sign-in, credit, a key, a gateway call, and the usage of it. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths as ConsolePaths } from './console.js';
import type { paths as GatewayPaths } from './gateway.js';

const { CONSOLE_URL = '', GATEWAY_URL = '', EMAIL = '', PASSWORD = '' } = process.env;
const guest = createClient<ConsolePaths>({ baseUrl: CONSOLE_URL });
const signIn = await guest.POST('/api/auth/login', { body: { identifier: EMAIL, password: PASSWORD } });
if (!signIn.data || !('token' in signIn.data)) throw new Error(JSON.stringify(signIn.error));
const { token, user } = signIn.data;
// The usage is CSV too, for clients that ask for it.
const own = createClient<ConsolePaths, 'application/json'>({
  baseUrl: CONSOLE_URL,
  headers: { Authorization: \`Bearer \${token}\` },
});
const credit = await own.POST('/api/admin/billing/adjustments', {
  body: { account_id: user.id, amount: 5, description: 'Credit' },
});
if (!credit.data) throw new Error(JSON.stringify(credit.error));
const key = await own.POST('/api/api-keys', { body: { name: 'generated client' } });
if (!key.data) throw new Error(JSON.stringify(key.error));
const gateway = createClient<GatewayPaths>({
  baseUrl: GATEWAY_URL,
  headers: { Authorization: \`Bearer \${key.data.key}\` },
});
const answer = await gateway.POST('/v1/chat/completions', {
  body: { model: 'sandbox-chat', max_tokens: 8, messages: [{ role: 'user', content: 'Hello' }] },
});
if (!answer.data || typeof answer.data === 'string') throw new Error(JSON.stringify(answer.error));
const usage = await own.GET('/api/billing/usage', { params: { query: { granularity: 'hour' } } });
if (!usage.data) throw new Error(JSON.stringify(usage.error));
console.log(JSON.stringify({
  tokens: answer.data.usage?.total_tokens,
  cost: usage.data.usage.map(({ cost }) => cost).reduce((sum, cost) => sum + cost, 0),
}));
`;

const run = promisify(execFile);
const tool = (name: string, ...args: string[]) =>
  run(join(ROOT, 'node_modules/.bin', name), args, { cwd: ROOT, env: { PATH: process.env.PATH } });

async function typeCheck(folder: string): Promise<void> {
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'ES2023',
    module: 'ESNext',
    moduleResolution: 'Bundler',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: ['node'],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['**/*.ts'] }),
  );
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch(
    (error: { stdout: string }) => {
      throw new Error(error.stdout.slice(0, 4_000));
    },
  );
}

describe('clients that are generated from the API documents', () => {
  const folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'generated-clients-'));
  let database: TestDatabase;
  let site: Site;

  beforeAll(async () => {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    database = await createTestDatabase();
    site = new Site(database);
  });
  afterAll(async () => {
    await site.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('openapi-typescript and openapi-fetch: sign in, make a key, call a model, read the usage', async () => {
    const types = join(folder, 'openapi-typescript');
    mkdirSync(types);
    for (const service of SERVICES)
      await tool(
        'openapi-typescript',
        join(DOCUMENTS, `${service}.json`),
        '-o',
        join(types, `${service}.ts`),
      );
    writeFileSync(join(types, 'program.ts'), PROGRAM);
    await typeCheck(types);
    const { code } = transformSync(PROGRAM, {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    });
    writeFileSync(join(types, 'program.mjs'), code);

    await createAdmin(database.ownerUrl, 'intl', ADMIN);
    await publishPrices(database.pool, [
      { slug: 'sandbox-chat', unit: 'per_million_tokens', ratePicos: 1_000_000_000n },
    ]);
    rememberSecret(ADMIN.password);
    const consoleService = await site.startConsole();
    const gateway = await site.startGateway(await site.startEngine());
    const { stdout } = await run(process.execPath, [join(types, 'program.mjs')], {
      env: {
        PATH: process.env.PATH,
        CONSOLE_URL: consoleService.url,
        GATEWAY_URL: gateway.url,
        EMAIL: ADMIN.email,
        PASSWORD: ADMIN.password,
      },
    });
    const { tokens, cost } = JSON.parse(stdout) as { tokens: number; cost: number };
    expect(tokens).toBeGreaterThan(0);
    expect(cost).toBeCloseTo(tokens / 1_000, 9);
  });

  it('another generator: its clients of all services compile', async () => {
    const clients = join(folder, 'openapi-ts');
    mkdirSync(clients);
    for (const service of SERVICES)
      await tool(
        'openapi-ts',
        '-i',
        join(DOCUMENTS, `${service}.json`),
        '-o',
        join(clients, service),
        '-c',
        '@hey-api/client-fetch',
      );
    await typeCheck(clients);
  });
});

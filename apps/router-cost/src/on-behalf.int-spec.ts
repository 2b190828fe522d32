import { randomBytes } from 'node:crypto';
import {
  createTestDatabase,
  insertAccount,
  type Issuer,
  rememberSecret,
  startIssuer,
  TEST_API_KEY_HASH_SECRET,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import { ENTITIES } from './entities';
import { insertStaff, type RunningService, startRouterCost } from '../test/running-service';
import { settle } from '../test/usage';

/** Calls of the console for an account that is signed in there. */

const SECRETS = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
const WRONG = randomBytes(24).toString('hex');
for (const secret of [...SECRETS, WRONG]) rememberSecret(secret);

let database: TestDatabase;
let issuer: Issuer;
let service: RunningService;
let gateway: TestPool;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  issuer = await startIssuer();
  gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'test gateway', size: 1 });
  service = await startRouterCost({
    DATABASE_URL: database.urlFor('router_cost'),
    CONSOLE_URL: issuer.url,
    API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
    CONSOLE_CREDENTIALS: SECRETS,
  });
});
afterAll(async () => {
  await service.app.close();
  await gateway.end();
  await issuer.close();
  await database.drop();
});

const ask = (headers: Record<string, string>, query = '') =>
  service.get(`/v1/router/cost?from=2025-01-01${query}`, undefined, headers);
const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });

it('reports the named account only, also if it is an admin', async () => {
  const [admin, other] = [
    await insertAccount(database.pool, { role: 'admin', balancePicos: 10n ** 12n }),
    await insertAccount(database.pool, { balancePicos: 10n ** 12n }),
  ];
  const rates = [{ unit: 'per_million_tokens' as const, ratePicos: 7n }];
  const call = { model: 'chat', entrypoint: 'gateway', rates, outputTokens: 0 };
  await settle(gateway, [
    { ...call, account: admin, inputTokens: 1 },
    { ...call, account: other, inputTokens: 2 },
  ]);
  for (const secret of SECRETS)
    for (const [account, cost] of [
      [admin, '0.000000000007'],
      [other, '0.000000000014'],
    ] as const) {
      const { status, json } = await ask({ ...bearer(secret), 'X-On-Behalf-Of': account.accountId });
      const [item] = (json as { items: { cost_usd: string }[] }).items;
      expect([status, item!.cost_usd]).toEqual([200, cost]);
    }
});

it('reports all accounts if that is asked for a role that sees reports, and refuses it for others', async () => {
  const accounts = {
    admin: await insertAccount(database.pool, { role: 'admin', balancePicos: 10n ** 12n }),
    analyst: await insertAccount(database.pool, { role: 'analyst' }),
    finance: await insertAccount(database.pool, { role: 'finance' }),
    support: await insertAccount(database.pool, { role: 'support' }),
    user: await insertAccount(database.pool),
  };
  const rates = [{ unit: 'per_million_tokens' as const, ratePicos: 7n }];
  await settle(gateway, [
    { account: accounts.admin, model: 'all', entrypoint: 'gateway', rates, inputTokens: 3, outputTokens: 0 },
  ]);
  for (const role of ['admin', 'analyst', 'finance', 'support', 'user'] as const) {
    const headers = { ...bearer(SECRETS[0]!), 'X-On-Behalf-Of': accounts[role].accountId };
    const { status, text } = await ask(headers, '&accounts=all&group_by=user,model');
    const seesAll = role !== 'user' && role !== 'support';
    expect([role, status]).toEqual([role, seesAll ? 200 : 403]);
    expect(text.includes(`"user":"${accounts.admin.accountId}","model":"all"`)).toBe(seesAll);
  }
});

it('covers the accounts that a caller asks for, if its role allows it', async () => {
  const analyst = await insertStaff(database.pool, issuer, 'analyst');
  const user = await insertAccount(database.pool);
  const of = async (query: string, { apiKey }: { apiKey: string }) => {
    const { status, text } = await service.get(`/v1/router/cost?group_by=user${query}`, apiKey);
    return [status, text];
  };
  expect(await of('&accounts=own', analyst)).toEqual([200, '{"items":[],"next_cursor":null}']);
  expect(await of('&accounts=all', analyst)).toEqual(await of('', analyst));
  expect(await of('&accounts=own', user)).toEqual(await of('', user));
  expect(await of('&accounts=all', user)).toEqual([
    403,
    '{"error":"accounts: only the roles admin, finance and analyst see the cost of all accounts"}',
  ]);
  expect((await of('&accounts=ours', analyst))[0]).toBe(400);
});

it('refuses a wrong secret, no account, an unknown account, and a customer that names one', async () => {
  const { accountId, apiKey } = await insertAccount(database.pool);
  const of = { 'X-On-Behalf-Of': accountId };
  expect((await ask({ ...bearer(WRONG), ...of })).status).toBe(401);
  expect((await ask(bearer(SECRETS[0]!))).status).toBe(400);
  expect((await ask({ ...bearer(SECRETS[0]!), 'X-On-Behalf-Of': 'acct_unknown' })).status).toBe(401);
  expect((await ask({ ...bearer(apiKey), ...of })).status).toBe(403);
});

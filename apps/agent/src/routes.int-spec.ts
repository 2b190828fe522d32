import {
  registeredOperations,
  documentedOperations,
  registeredRoutes,
  tabledRoutes,
  credentialRows,
  type TestAccount,
} from '@inference/testing';
import { AgentSite } from './agent.fixture';

let site: AgentSite;
let account: TestAccount;

beforeAll(async () => {
  site = await AgentSite.start();
  account = await site.account();
});
afterAll(() => site?.stop());

test('every route is in the table of credentials and in the API document', () => {
  expect(registeredRoutes(site.replicas[0]!.app)).toEqual(tabledRoutes('agent'));
  expect(registeredOperations(site.replicas[0]!.app)).toEqual(documentedOperations('agent'));
});

describe.each(credentialRows('agent').filter(({ statuses }) => statuses.none === 401))('$route', (row) => {
  const ask = (authorization?: string) =>
    fetch(site.url + row.path.replace(/:\w+/g, 'unknown'), {
      method: row.method,
      headers: {
        ...(authorization !== undefined && { Authorization: authorization }),
        ...(row.method === 'POST' && { 'Content-Type': 'application/json' }),
      },
      ...(row.method === 'POST' && { body: '{}' }),
    });

  it.each(['Bearer', 'bearer', 'ApiKey', 'apikey', 'APIKEY'])(
    'accepts a key with the scheme %s',
    async (scheme) => {
      expect((await ask(`${scheme} ${account.apiKey}`)).status).toBe(row.statuses.key);
    },
  );

  it.each([
    ['no credential', () => undefined],
    ['another scheme', () => `Token ${account.apiKey}`],
    ['a key without a scheme', () => account.apiKey],
    ['an invalid key', () => `ApiKey ${account.apiKey.slice(0, -1)}`],
  ])('answers 401 to %s and names the schemes', async (_what, authorization) => {
    const response = await ask(authorization());
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer, ApiKey');
    expect(await response.json()).toEqual({ error: expect.any(String) as string });
  });
});

test('the database role of the service can execute no SECURITY DEFINER function', async () => {
  const { rows } = await site.pool.query(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p
     WHERE p.prosecdef AND has_function_privilege('agent', p.oid, 'EXECUTE')`,
  );
  expect(rows).toEqual([]);
});

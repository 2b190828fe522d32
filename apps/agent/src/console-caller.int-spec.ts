import { randomBytes } from 'node:crypto';
import { credentialRows, rememberSecret, ScriptedModel, type TestAccount, waitFor } from '@inference/testing';
import { AgentSite, CONSOLE_CREDENTIALS, Customer, readStream, textOf } from './agent.fixture';

/** Calls of the console for an account that is signed in there. */

const WRONG = randomBytes(24).toString('hex');
rememberSecret(WRONG);
const TOOLS = 'scripted-tools';
const BASE = '/v1/agents/sessions';

let model: ScriptedModel;
let site: AgentSite;
let account: TestAccount;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await AgentSite.start({
    models: [TOOLS],
    upstreams: [{ name: 'scripted', base_url: model.url, models: [TOOLS] }],
  });
});
beforeEach(async () => {
  account = await site.account();
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

const closed = credentialRows('agent').filter(({ statuses }) => statuses.none === 401);

function ask(method: string, path: string, headers: Record<string, string>, body?: unknown) {
  return fetch(site.url + path, {
    method,
    headers: { ...(method === 'POST' && { 'Content-Type': 'application/json' }), ...headers },
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
  });
}
const forAccount = ({ accountId }: TestAccount, secret = CONSOLE_CREDENTIALS[0]!) => ({
  Authorization: `Bearer ${secret}`,
  'X-On-Behalf-Of': accountId,
});
const asConsole = (method: string, path: string, body?: unknown, of = account) =>
  ask(method, BASE + path, forAccount(of), body);

const usageOf = async ({ accountId }: TestAccount) => {
  const { rows } = await site.pool.query<{ entrypoint: string; api_key_id: string | null }>(
    'SELECT entrypoint, api_key_id FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at',
    [accountId],
  );
  return rows;
};

describe.each(closed)('$route', ({ method, path, statuses }) => {
  const url = path.replace(/:\w+/g, 'unknown');

  it('accepts each credential of the console with the account in the header', async () => {
    for (const secret of CONSOLE_CREDENTIALS)
      expect((await ask(method, url, forAccount(await site.account(), secret))).status).toBe(statuses.key);
  });

  it('refuses other credentials and accounts', async () => {
    const [secret] = CONSOLE_CREDENTIALS;
    const named = { 'X-On-Behalf-Of': account.accountId };
    const cases: [Record<string, string>, number, string | undefined][] = [
      [forAccount(account, WRONG), 401, undefined],
      [{ ...named, Authorization: `ApiKey ${secret}` }, 401, undefined],
      [{ Authorization: `Bearer ${secret}` }, 400, 'on_behalf_missing'],
      [{ ...forAccount(account), 'X-On-Behalf-Of': 'acct_unknown' }, 401, 'on_behalf_unknown'],
      [{ ...named, Authorization: `Bearer ${account.apiKey}` }, 403, 'on_behalf_forbidden'],
    ];
    for (const [headers, status, code] of cases) {
      const response = await ask(method, url, headers);
      expect([headers, response.status]).toEqual([headers, status]);
      expect(((await response.json()) as { code?: string }).code).toBe(code);
    }
  });
});

describe('the console', () => {
  it('sees and changes the sessions of the account, and no others', async () => {
    const own = new Customer(site.url, account.apiKey);
    await own.json('POST', '', { id: 'shared' }, 201);
    expect((await asConsole('GET', '/shared')).status).toBe(200);
    const other = await site.account();
    for (const [method, path] of [
      ['GET', '/shared'],
      ['GET', '/shared/events'],
      ['POST', '/shared/cancel'],
      ['DELETE', '/shared'],
    ] as const)
      expect((await asConsole(method, path, undefined, other)).status).toBe(404);
    expect((await asConsole('DELETE', '/shared')).status).toBe(204);
    await own.json('GET', '/shared', undefined, 404);
  });

  it('streams turns that the account pays without a key, as usage of the agent', async () => {
    const events = await readStream(
      await asConsole('POST', '/s/events/stream', { role: 'user', content: 'Hello' }),
    );
    expect(events.at(-1)).toMatchObject({ event: 'turn.completed' });
    expect(textOf(events)).not.toBe('');
    const resumed = await readStream(await asConsole('GET', '/s/events/stream'));
    expect(textOf(resumed)).toBe(textOf(events));
    expect(await usageOf(account)).toEqual([{ entrypoint: 'agent', api_key_id: null }]);
  });

  it('runs a turn in the background, which waits for its place', async () => {
    const post = (content: string) =>
      asConsole('POST', '/queue/events?on_busy=enqueue', { role: 'user', content });
    for (const content of ['one', 'two']) expect((await post(content)).status).toBe(200);
    await waitFor(async () => (await usageOf(account)).length === 2);
    expect(new Set((await usageOf(account)).map(({ api_key_id: key }) => key))).toEqual(new Set([null]));
  });

  it('is refused what the wallet does not cover', async () => {
    const poor = await site.account(0n);
    const response = await asConsole('POST', '/s/events/stream', { role: 'user', content: 'Hello' }, poor);
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ code: 'insufficient_balance' });
  });

  it('answers tool calls, and so does a key: whoever continues a turn pays for the rest', async () => {
    const weather = { type: 'function', function: { name: 'weather' } };
    await asConsole('POST', '', { id: 'tools', model: TOOLS, tools: [weather] });
    model.calls(['weather', {}]);
    const first = await readStream(
      await asConsole('POST', '/tools/events/stream', { role: 'user', content: 'How is it?' }),
    );
    const [call] = (first.at(-1)!.data as { tool_calls: { id: string }[] }).tool_calls;
    const result = (id: string) => ({
      role: 'tool',
      tool_call_results: [{ tool_call_id: id, content: 'dry' }],
    });
    const second = await new Customer(site.url, account.apiKey).call(
      'POST',
      '/tools/events/stream',
      result(call!.id),
    );
    const [next] = ((await readStream(second)).at(-1)!.data as { tool_calls: { id: string }[] }).tool_calls;
    model.says((answer) => answer.finish('stop'));
    const third = await readStream(await asConsole('POST', '/tools/events/stream', result(next!.id)));
    expect(third.at(-1)).toMatchObject({ event: 'turn.completed' });
    expect(await usageOf(account)).toEqual([
      { entrypoint: 'agent', api_key_id: null },
      { entrypoint: 'agent', api_key_id: account.apiKeyId },
      { entrypoint: 'agent', api_key_id: null },
    ]);
  });
});

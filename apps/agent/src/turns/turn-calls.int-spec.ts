import { ScriptedModel, type TestAccount, waitFor } from '@inference/testing';
import { AgentSite, Customer } from '../agent.fixture';

/** Which events name the call of the model that they cost. */

let model: ScriptedModel;
let site: AgentSite;
let account: TestAccount;
let customer: Customer;
let count = 0;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await AgentSite.start({
    models: ['scripted'],
    upstreams: [{ name: 'scripted', base_url: model.url, models: ['scripted'] }],
  });
});
beforeEach(async () => {
  account = await site.account();
  customer = new Customer(site.url, account.apiKey);
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

async function newSession(): Promise<string> {
  const id = `calls-${++count}`;
  const tools = [{ type: 'function', function: { name: 'weather' } }];
  await customer.json('POST', '', { id, model: 'scripted', tools }, 201);
  return id;
}

const namedCalls = async (id: string) =>
  (await customer.events(id)).map(({ type, request_id }) => [type, request_id]);

/** Ids of the calls that the account was charged for, the earliest first. */
const chargedCalls = async (): Promise<string[]> => {
  const { rows } = await site.pool.query<{ id: string }>(
    'SELECT request_id AS id FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at',
    [account.accountId],
  );
  return rows.map(({ id }) => id);
};

it('are the answer and each round of tool calls', async () => {
  const id = await newSession();
  model.calls(['weather', {}]);
  const [last] = (await customer.sendMessage(id, 'What is it like?')).slice(-1);
  const [call] = last!.data['tool_calls'] as { id: string }[];
  model.says((answer) => {
    answer.delta({ content: 'Sunny.' });
    answer.finish('stop');
  });
  const result = { role: 'tool', tool_call_results: [{ tool_call_id: call!.id, content: 'sun' }] };
  await (await customer.call('POST', `/${id}/events/stream`, result)).text();
  const [first, second] = await chargedCalls();
  expect(first).toMatch(/^req_/);
  expect(await namedCalls(id)).toEqual([
    ['message', undefined],
    ['tool_calls', first],
    ['tool_result', undefined],
    ['message', second],
  ]);
});

it('is the end of a turn whose answer broke off', async () => {
  const id = await newSession();
  model.says((answer) => {
    answer.delta({ content: 'Sun' });
    setTimeout(() => answer.breakOff(), 50);
  });
  await customer.sendMessage(id, 'What is it like?');
  const [charged] = await waitFor(async () => {
    const calls = await chargedCalls();
    return calls.length > 0 && calls;
  });
  expect(await namedCalls(id)).toEqual([
    ['message', undefined],
    ['message', undefined],
    ['turn.failed', charged],
  ]);
});

it('is the end of a turn that was cancelled, once the call has ended', async () => {
  const id = await newSession();
  model.says(async (answer) => {
    answer.delta({ content: 'Sun' });
    await answer.left();
  });
  const response = await customer.call('POST', `/${id}/events/stream`, { role: 'user', content: 'Hello' });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let seen = ''; !seen.includes('Sun');) seen += (await reader.read()).value;
  await customer.json('POST', `/${id}/cancel`);
  await reader.cancel();
  const [charged] = await waitFor(async () => {
    const calls = await chargedCalls();
    return calls.length > 0 && calls;
  });
  await waitFor(async () => (await namedCalls(id)).at(-1)![1] !== undefined);
  expect(await namedCalls(id)).toEqual([
    ['message', undefined],
    ['message', undefined],
    ['turn.cancelled', charged],
  ]);
});

it('is none if the gateway refused the call', async () => {
  const poor = await site.account(0n);
  customer = new Customer(site.url, poor.apiKey);
  const id = await newSession();
  await customer.call('POST', `/${id}/events`, { role: 'user', content: 'Hello' });
  expect(await namedCalls(id)).toEqual([
    ['message', undefined],
    ['turn.failed', undefined],
  ]);
});

import { AgentSite, Customer, readStream } from '../agent.fixture';
import { type EventResponse } from './event.response';

const HANGING = 'sandbox-chat+hang';

let site: AgentSite;
let customer: Customer;

beforeAll(async () => {
  site = await AgentSite.start({ models: [HANGING] });
  customer = new Customer(site.url, (await site.account()).apiKey);
});
afterAll(() => site?.stop());

describe('an answer that the client brings along', () => {
  it('is stored without a call of the model, and the model reads it from then on', async () => {
    const [id, other] = ['posted', 'streamed'];
    const brought = {
      role: 'assistant',
      content: 'What can I do?',
      tool_calls: [],
      tool_call_results: null,
    };
    const event = await customer.json<EventResponse>('POST', `/${id}/events`, brought);
    expect(event).toMatchObject({ seq: 1, type: 'message', role: 'assistant', status: 'completed' });
    expect(await customer.events(id)).toEqual([event]);
    const streamed = await readStream(await customer.call('POST', `/${other}/events/stream`, brought));
    expect(streamed).toEqual([{ event: 'turn.completed', id: '1.1', data: {} }]);
    for (const session of [id, other]) {
      await customer.sendMessage(session, 'Wait');
      // The words of both messages, and four tokens for each of them.
      expect((await customer.events(session)).at(-1)!.usage!.prompt_tokens).toBe(4 + 1 + 2 * 4);
    }
  });

  it('is refused with 409 during a turn, and stored once under an idempotency key', async () => {
    const [id, brought] = ['busy', { role: 'assistant', content: 'By the way' }];
    await customer.json('POST', '', { id, model: HANGING }, 201);
    await customer.json('POST', `/${id}/events`, { role: 'user', content: 'Hello' });
    await customer.json('POST', `/${id}/events`, brought, 409);
    const key = { 'Idempotency-Key': 'brought' };
    const path = `/${id}/events?on_busy=enqueue`;
    const event = await customer.json<EventResponse>('POST', path, brought, 200, key);
    expect(event).toMatchObject({ seq: 2, role: 'assistant', status: 'completed' });
    expect(await customer.json('POST', path, brought, 200, key)).toEqual(event);
    await customer.json('POST', `/${id}/cancel`);
  });
});

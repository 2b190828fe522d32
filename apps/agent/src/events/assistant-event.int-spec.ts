import { ScriptedModel, waitFor } from '@inference/testing';
import { AgentSite, Customer, readStream } from '../agent.fixture';
import { type EventResponse } from './event.response';

const HANGING = 'sandbox-chat+hang';

let model: ScriptedModel;
let site: AgentSite;
let apiKey: string;
let customer: Customer;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await AgentSite.start({
    models: [HANGING, 'scripted'],
    upstreams: [{ name: 'scripted', base_url: model.url, models: ['scripted'] }],
  });
  ({ apiKey } = await site.account());
  customer = new Customer(site.url, apiKey);
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

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
    const [{ turn_id: turnId }] = (await customer.events(other)) as [EventResponse];
    expect(streamed).toEqual([
      { event: 'turn.started', id: '1.1', data: { turn_id: turnId } },
      { event: 'turn.completed', id: '1.2', data: {} },
    ]);
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

  it('does not wait for the running turn; the model reads it after the answer of that turn', async () => {
    const id = 'enqueued';
    await customer.json('POST', '', { id, model: 'scripted' }, 201);
    let answerNow: () => void = () => undefined;
    model.says(async (answer) => {
      await new Promise<void>((resolve) => (answerNow = resolve));
      answer.delta({ content: 'Hello!' });
      answer.finish('stop');
    });
    await customer.json('POST', `/${id}/events`, { role: 'user', content: 'Hello' });
    await waitFor(() => Promise.resolve(model.requests.length === 1));
    const brought = { role: 'assistant', content: 'By the way' };
    const streamed = await customer.call('POST', `/${id}/events/stream?on_busy=enqueue`, brought);
    expect((await readStream(streamed)).at(-1)!.event).toBe('turn.completed');
    answerNow();
    await waitFor(async () => (await customer.events(id)).length === 3);
    const bySeq = (await customer.events(id)).map(({ content }) => content);
    expect(bySeq).toEqual(['Hello', 'By the way', 'Hello!']);
    model.says((answer) => answer.finish('stop'));
    await customer.sendMessage(id, 'What?');
    const prompt = model.requests[1]!.messages.map(({ content }) => content);
    expect(prompt).toEqual(['Hello', 'Hello!', 'By the way', 'What?']);
  });

  it('is streamed by a process without a free place', async () => {
    const full = await site.startReplica({ MAX_RUNNING_TURNS: '1' });
    const there = new Customer(full.url, apiKey);
    await there.json('POST', '', { id: 'hanging', model: HANGING }, 201);
    await there.json('POST', '/hanging/events', { role: 'user', content: 'Hello' });
    const stream = (role: string) => there.call('POST', '/full/events/stream', { role, content: 'Hello' });
    expect((await stream('user')).status).toBe(503);
    const streamEvents = await readStream(await stream('assistant'));
    expect(streamEvents.map(({ event }) => event)).toEqual(['turn.started', 'turn.completed']);
    await there.json('POST', '/hanging/cancel');
  });
});

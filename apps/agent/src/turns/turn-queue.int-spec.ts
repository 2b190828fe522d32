import { ScriptedModel, waitFor } from '@inference/testing';
import { AgentSite, Customer } from '../agent.fixture';
import { type EventResponse } from '../events/event.response';

/** Number of jobs that a process takes at a time. */
const JOBS = 4;
/** Sessions whose second message waits in the queue. */
const queued = new Set<string>();

let model: ScriptedModel;
let site: AgentSite;
let customer: Customer;

beforeAll(async () => {
  model = await ScriptedModel.start();
  // Ends no answer before the session's second message has become a job.
  model.says(async (answer, { messages }) => {
    answer.delta({ content: 'Hi' });
    await waitFor(() => queued.has(messages[0]!.content!));
    answer.finish('stop');
  });
  site = await AgentSite.start({
    models: ['scripted'],
    upstreams: [{ name: 'scripted', base_url: model.url, models: ['scripted'] }],
  });
  customer = new Customer(site.url, (await site.account()).apiKey);
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

/** Posts two messages; the turn of the second one becomes a job of the queue. */
async function post(session: string): Promise<void> {
  await customer.json('POST', '', { id: session, model: 'scripted' }, 201);
  await customer.json('POST', `/${session}/events`, { role: 'user', content: session });
  const waiting = { role: 'user', content: 'And?' };
  const { status } = await customer.json<EventResponse>(
    'POST',
    `/${session}/events?on_busy=enqueue`,
    waiting,
  );
  expect(status).toBe('queued');
  queued.add(session);
}
const isAnswered = async (session: string) => {
  const events = await customer.events(session);
  return events.filter(({ role, status }) => role === 'assistant' && status === 'completed').length === 2;
};

test('a queue that could not record the end of its jobs takes new jobs once it can', async () => {
  const sessions = Array.from({ length: JOBS }, (_, i) => `stuck-${i}`);
  // The queue takes a job by UPDATE and records its end by DELETE.
  await site.pool.query('REVOKE DELETE ON ALL TABLES IN SCHEMA agent_jobs FROM agent');
  await Promise.all(sessions.map(post));
  await waitFor(async () => (await Promise.all(sessions.map(isAnswered))).every(Boolean));
  await site.pool.query('GRANT DELETE ON ALL TABLES IN SCHEMA agent_jobs TO agent');
  await post('after');
  await waitFor(() => isAnswered('after'));
});

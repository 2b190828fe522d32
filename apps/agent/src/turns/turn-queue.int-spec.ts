import { waitFor } from '@inference/testing';
import { AgentSite, Customer } from '../agent.fixture';
import { type EventView } from '../events/event-view';

/** Number of jobs that a process takes at a time. */
const JOBS = 4;

let site: AgentSite;
let customer: Customer;

beforeAll(async () => {
  site = await AgentSite.start();
  customer = new Customer(site.url, (await site.account()).apiKey);
});
afterAll(() => site?.stop());

const post = (session: string) =>
  customer.json<EventView>('POST', `/${session}/events`, { role: 'user', content: 'Hello' });
const isAnswered = async (session: string) =>
  (await customer.events(session)).some(({ role, status }) => role === 'assistant' && status === 'completed');

test('a queue that could not record the end of its jobs takes new jobs once it can', async () => {
  const sessions = Array.from({ length: JOBS }, (_, i) => `stuck-${i}`);
  for (const id of sessions) await customer.json('POST', '', { id }, 201);
  // The queue takes a job by UPDATE and records its end by DELETE.
  await site.pool.query('REVOKE DELETE ON ALL TABLES IN SCHEMA agent_jobs FROM agent');
  await Promise.all(sessions.map(post));
  await waitFor(async () => (await Promise.all(sessions.map(isAnswered))).every(Boolean));
  await site.pool.query('GRANT DELETE ON ALL TABLES IN SCHEMA agent_jobs TO agent');
  await post('after');
  await waitFor(() => isAnswered('after'));
});

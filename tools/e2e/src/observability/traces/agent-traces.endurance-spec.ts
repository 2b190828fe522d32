import { endsResponse, OpenStream } from '../../agent/agent-calls';
import { type ServiceProcess } from '../../site/service-process';
import { type ReceivedSpan } from './otlp-receiver';
import {
  type CallerTrace,
  expectChain,
  newTrace,
  PROMPT,
  send,
  SLOW_MODEL,
  spansOf,
  TracedSite,
} from './traced-site.fixture';

let traced: TracedSite;
let gateway: ServiceProcess;
let agent: ServiceProcess;
let apiKey: string;

beforeAll(async () => {
  traced = await TracedSite.start();
  gateway = await traced.startGateway();
  agent = await traced.site.startAgent(gateway, traced.environment);
  ({ apiKey } = await traced.signIn());
});

afterAll(() => traced?.stop());

const withKey = () => ({ Authorization: `Bearer ${apiKey}` });

const TURN = ['agent server', 'agent internal', 'agent client', 'gateway server', 'gateway client'];

const expectTurn = (trace: CallerTrace, spans: Record<string, ReceivedSpan>) =>
  expectChain(
    trace,
    TURN.map((name) => spans[name]),
  );

test('a streamed turn of an agent is one trace with its call of the model', async () => {
  const trace = newTrace();
  const response = await send(
    agent,
    '/v1/agents/sessions/streamed/events/stream',
    { role: 'user', content: PROMPT },
    { ...withKey(), traceparent: trace.traceparent },
  );
  const stream = new OpenStream(response);
  await stream.end;
  expect(stream.events.at(-1)?.event).toBe('turn.completed');
  const spans = await spansOf(traced.receiver, trace, TURN);
  expectTurn(trace, spans);
  expect(spans['agent server']).toMatchObject({
    name: 'POST /v1/agents/sessions/:session_id/events/stream',
    attributes: { 'url.path': '/v1/agents/sessions/streamed/events/stream' },
  });
  expect(spans['agent internal']).toMatchObject({
    name: 'run turn',
    attributes: { 'inference.turn.id': stream.events[0]!.data.turn_id },
  });
});

test('a turn that outlives its request has a span that does, too', async () => {
  const trace = newTrace();
  const session = '/v1/agents/sessions/background';
  await send(agent, '/v1/agents/sessions', { id: 'background', model: SLOW_MODEL }, withKey());
  const response = await send(
    agent,
    `${session}/events`,
    { role: 'user', content: PROMPT },
    { ...withKey(), traceparent: trace.traceparent },
  );
  expect(response.status).toBe(200);
  const spans = await spansOf(traced.receiver, trace, TURN);
  expectTurn(trace, spans);
  expect(spans['agent internal']!.endMillis).toBeGreaterThan(spans['agent server']!.endMillis);
});

test('a turn that the queue runs belongs to the trace of its request', async () => {
  // One turn at a time: the second one waits for a free place, in the queue.
  const { site, environment } = traced;
  const narrow = await site.startAgent(gateway, { ...environment, MAX_RUNNING_TURNS: '1' });
  await send(narrow, '/v1/agents/sessions', { id: 'long', model: SLOW_MODEL }, withKey());
  const first = await send(
    narrow,
    '/v1/agents/sessions/long/events/stream',
    { role: 'user', content: PROMPT },
    withKey(),
  );
  const running = new OpenStream(first);
  const trace = newTrace();
  const queued = await send(
    narrow,
    '/v1/agents/sessions/queued/events',
    { role: 'user', content: PROMPT },
    { ...withKey(), traceparent: trace.traceparent },
  );
  expect(running.events.some(endsResponse)).toBe(false);
  expect(await queued.json()).toMatchObject({ status: 'queued' });
  const spans = await spansOf(traced.receiver, trace, TURN);
  expectTurn(trace, spans);
  await running.end;
  await narrow.stop();
});

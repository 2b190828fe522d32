import fc from 'fast-check';
import { AgentClient } from '../client';
import { type Fault, ProtocolServer, type ScriptedEvent } from '../protocol-server.fixture';

const RUNS = 50;

let server: ProtocolServer;
let client: AgentClient;

beforeAll(async () => {
  server = await ProtocolServer.start();
  client = new AgentClient({
    baseUrl: server.url,
    apiKey: 'bfvk-none',
    silenceMs: 60,
    retry: { maxFailures: 1_000, giveUpAfterMs: 60_000, baseDelayMs: 1, maxDelayMs: 2 },
  });
});

afterAll(() => server.close());

const texts = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 12 });
const bytes = fc.integer({ min: 0, max: 900 });
const faults: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('cut', 'end'), bytes }) },
  { weight: 2, arbitrary: fc.constant<Fault>({ kind: 'no-answer' }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('status'), status: fc.constantFrom(429, 500, 502, 503, 504) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stall'), bytes }) },
) as fc.Arbitrary<Fault>;
const endings = fc.constantFrom<ScriptedEvent>(
  { event: 'turn.completed', data: {} },
  { event: 'turn.cancelled', data: { turn_id: 'turn_1' } },
  { event: 'turn.requires_action', data: { turn_id: 'turn_1', tool_calls: [] } },
);

test('yields every event once and in order, wherever the connection is cut', async () => {
  await fc.assert(
    fc.asyncProperty(texts, endings, fc.array(faults, { maxLength: 8 }), async (contents, ending, struck) => {
      server.script([
        { event: 'turn.started', data: { turn_id: 'turn_1' } },
        ...contents.map((content) => ({ event: 'delta', data: { content } })),
        ending,
      ]);
      server.faults.push(...struck);

      const stream = client.stream('s', { role: 'user', content: 'Hello' });
      const events = [];
      for await (const { kind, id, data } of stream) events.push({ event: kind, id, data });

      expect(events).toEqual(server.expected);
      expect(stream.text).toBe(contents.join(''));
      const posts = server.requests.filter(({ method }) => method === 'POST');
      expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }),
    { numRuns: RUNS },
  );
});

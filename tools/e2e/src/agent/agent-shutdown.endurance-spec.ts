import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { AgentCaller, endsResponse, type OpenStream, type SeenStreamEvent, textOf } from './agent-calls';
import { askEngine, messagesOf, turnsOf, usageOf } from './agent-records';
import { runReconcile } from '../billing/ledger-totals';
import { runConcurrently } from '../load/run-concurrently';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

const QUICK = 'sandbox-chat';
/** Takes about three seconds. */
const LONG = 'sandbox-chat+tokens-60+delay-50';
/** Sends some tokens, then hangs. */
const ENDLESS = 'sandbox-chat+tokens-60+hang-mid-5';
/** Sends a word every few milliseconds for a long time. */
const TALKATIVE = 'sandbox-chat+tokens-5000+delay-3';
const MODELS = [QUICK, LONG, ENDLESS, TALKATIVE];
const INTERRUPTIONS = 24;

let database: TestDatabase;
let site: Site;
let engine: ServiceProcess;
let gateway: ServiceProcess;
let replica: ServiceProcess;
let account: { accountId: string; apiKey: string };

beforeAll(async () => {
  database = await createTestDatabase();
  const price = { unit: 'per_million_tokens' as const, ratePicos: 1_000_000n };
  await publishPrices(
    database.pool,
    MODELS.map((slug) => ({ slug, ...price })),
  );
  account = await newAccount();
  site = new Site(database);
  engine = await site.startEngine();
  gateway = await site.startGateway(engine);
  replica = await site.startAgent(gateway);
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

const newAccount = () => insertAccount(database.pool, { balancePicos: 10n ** 15n });
const at = ({ url }: ServiceProcess) => new AgentCaller(url, account.apiKey);

async function newSession(id: string, model: string): Promise<string> {
  expect(await at(replica).ask('POST', '', { id, model })).toMatchObject({ status: 201 });
  return id;
}

/** Waits until some words were received, but not all. */
const isUnderWay = (stream: OpenStream) => waitFor(() => stream.text !== '');

const turnsIn = async (sessionId: string) => turnsOf(await at(replica).events(sessionId));

const lastOf = ({ events }: OpenStream) => events.at(-1)!.event;

const idsFrom = (turn: number, first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${turn}.${first + index}`);

/** Resumes an interrupted stream at another replica. */
async function withRest(sessionId: string, { events }: OpenStream): Promise<SeenStreamEvent[]> {
  const last = events.at(-1)!;
  if (endsResponse(last)) return events;
  const rest = await at(replica).resume(sessionId, last.id);
  await rest.end;
  return [...events, ...rest.events];
}

describe('a replica that shuts down', () => {
  test('finishes its own turns and their streams, and disconnects the readers of other turns', async () => {
    const leaving = await site.startAgent(gateway, { SHUTDOWN_GRACE_SECONDS: '60' });
    await Promise.all([newSession('own', LONG), newSession('foreign', LONG)]);
    const own = await at(leaving).stream('own', 'Stay with me');
    const atHome = await at(replica).stream('foreign', 'Go on elsewhere');
    await isUnderWay(atHome);
    const away = await at(leaving).resume('foreign');
    await Promise.all([isUnderWay(own), isUnderWay(away)]);

    const stopped = leaving.stop();
    await away.end;
    expect(lastOf(away)).toBe('delta');
    const rest = await at(replica).resume('foreign', away.events.at(-1)!.id);
    await Promise.all([own.end, rest.end, atHome.end]);
    expect(await stopped).toBe(true);

    const [ownTurn] = await turnsIn('own');
    const [foreignTurn] = await turnsIn('foreign');
    expect([lastOf(own), lastOf(rest)]).toEqual(['turn.completed', 'turn.completed']);
    expect(own.text).toBe(ownTurn!.answer!.content);
    expect(away.text + rest.text).toBe(foreignTurn!.answer!.content);
    const ids = [...away.events, ...rest.events].map(({ id }) => id);
    expect(ids).toEqual(idsFrom(1, 1, atHome.events.length));
    expect(ownTurn!.answer!.content).toBe(await askEngine(engine, LONG, messagesOf([ownTurn!])[0]!));
  });

  test('fails turns that exceed its grace period, and stores their text', async () => {
    const leaving = await site.startAgent(gateway, { SHUTDOWN_GRACE_SECONDS: '0.5' });
    await newSession('cut', ENDLESS);
    const stream = await at(leaving).stream('cut', 'Say something');
    await isUnderWay(stream);
    expect(await leaving.stop()).toBe(true);
    await stream.end;
    expect(stream.events.at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'interrupted', retryable: true, error: expect.any(String) as string },
    });
    const [turn] = await turnsIn('cut');
    expect(turn!.answer).toMatchObject({ status: 'incomplete', content: stream.text });
    expect(turn!.ending).toMatchObject({
      type: 'turn.failed',
      error: { code: 'interrupted', retryable: true },
    });
    // A later reader gets the same events.
    const later = await at(replica).resume('cut');
    await later.end;
    expect(later.events).toEqual(stream.events);
  });

  test('loses no word of an interrupted turn', async () => {
    const leaving = await site.startAgent(gateway, { SHUTDOWN_GRACE_SECONDS: '0' });
    const ids = Array.from({ length: INTERRUPTIONS }, (_, index) => `torn-${index}`);
    await Promise.all(ids.map((id) => newSession(id, TALKATIVE)));
    const streams = await Promise.all(ids.map((id) => at(leaving).stream(id, 'Talk')));
    await Promise.all(streams.map(isUnderWay));
    await leaving.stop();
    await Promise.all(streams.map(({ end }) => end));
    for (const [index, id] of ids.entries()) {
      const [turn] = await turnsIn(id);
      const events = await withRest(id, streams[index]!);
      expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted' } });
      expect(events.map((event) => event.id)).toEqual(idsFrom(1, 1, events.length));
      expect(turn!.answer!.content).toBe(textOf(events));
    }
  });
});

describe('the queue of turns', () => {
  test('keeps turns while all replicas are busy or down', async () => {
    const queue = await site.startAgent(gateway, { MAX_RUNNING_TURNS: '1', REPLICA_TTL_SECONDS: '2' });
    await replica.stop();
    const caller = at(queue);
    const make = (id: string, model: string) => caller.ask('POST', '', { id, model });
    await Promise.all([make('in-the-way', ENDLESS), make('waiting-0', QUICK), make('waiting-1', QUICK)]);
    const busy = await caller.stream('in-the-way', 'Say something');
    await isUnderWay(busy);
    const waiting = ['waiting-0', 'waiting-1'];
    for (const id of waiting) {
      expect(await caller.post(id, 'When it is my turn')).toMatchObject({ seq: 1, type: 'message' });
      await caller.post(id, 'And then', '?on_busy=enqueue');
    }
    const statusesIn = async (id: string) => (await caller.events(id)).map(({ status }) => status);
    for (const id of waiting) expect(await statusesIn(id)).toEqual(['queued', 'queued']);
    const refusal = await caller.ask('POST', '/another/events/stream', { role: 'user', content: 'Now' });
    expect(refusal).toEqual({
      status: 503,
      body: { error: expect.any(String) as string, code: 'overloaded' },
    });

    await queue.kill();
    await busy.end.catch(() => undefined);
    // Simulates a long wait.
    await database.pool.query("UPDATE agent.turns SET created_at = created_at - interval '1 minute'");
    await queue.start();
    const done = ['completed', 'completed', 'completed', 'completed'];
    for (const id of waiting) {
      await waitFor(async () => {
        expect(await statusesIn(id)).toEqual(done);
        return true;
      });
    }
    await waitFor(async () => (await statusesIn('in-the-way'))[0] === 'failed');
    const turns = await Promise.all(
      [...waiting, 'in-the-way'].map(async (id) => turnsOf(await caller.events(id))),
    );
    expect(turns[0]!.map(({ answer }) => answer!.status)).toEqual(['completed', 'completed']);
    expect(turns[2]![0]!.ending).toMatchObject({ error: { code: 'interrupted' } });
    expect(turns[2]![0]!.answer!.content).toBe(busy.text);
    await Promise.all([replica.start(), queue.stop()]);
  });
});

describe('an interrupting message that is posted to another replica', () => {
  test('interrupts the running turn, and stores every word that was sent', async () => {
    const other = await site.startAgent(gateway);
    const ids = Array.from({ length: INTERRUPTIONS }, (_, index) => `interrupted-${index}`);
    // A hanging model call does not notice the interruption by itself.
    await Promise.all(ids.map((id, index) => newSession(id, index % 4 === 0 ? ENDLESS : TALKATIVE)));
    const streams = await Promise.all(ids.map((id) => at(replica).stream(id, 'Talk')));
    await Promise.all(streams.map(isUnderWay));
    const jobs = ids.map((id) => () => at(other).post(id, 'Stop that', '?on_busy=interrupt'));
    await runConcurrently(jobs, 8);
    await Promise.all(streams.map(({ end }) => end));
    for (const [index, id] of ids.entries()) {
      const { events, text } = streams[index]!;
      const [turn] = await turnsIn(id);
      expect(events.at(-1)).toMatchObject({ event: 'turn.cancelled', data: { turn_id: turn!.id } });
      expect(events.map((event) => event.id)).toEqual(idsFrom(1, 1, events.length));
      expect(turn!.answer).toMatchObject({ status: 'incomplete', content: text });
      expect(turn!.ending).toMatchObject({ type: 'turn.cancelled' });
    }
    await Promise.all(ids.map((id) => at(other).ask('POST', `/${id}/cancel`)));
    await other.stop();
  });
});

test('bills each model call once, including interrupted ones', async () => {
  const billed = await waitFor(async () => {
    const rows = await usageOf(database.pool, account.accountId);
    const response = await fetch(`${engine.url}/_sandbox/served`);
    // One request bypassed the gateway.
    const { requests } = (await response.json()) as { requests: number };
    expect(rows).toHaveLength(requests - 1);
    return rows;
  });
  expect(billed.every(({ entrypoint }) => entrypoint === 'agent')).toBe(true);
  expect(await runReconcile(database)).toContain('no difference');
});

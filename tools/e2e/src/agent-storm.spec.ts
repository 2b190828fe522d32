import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { AgentCaller, type SeenEvent } from './agent-calls';
import { askEngine, engineRequests, messagesOf, type RecordedTurn, turnsOf, usageOf } from './agent-records';
import { runReconcile } from './books';
import {
  PackagedClient,
  PlainClient,
  type RestlessClient,
  RestlessConnections,
  type SeenTurn,
} from './restless-client';
import { runAtOnce } from './run-at-once';
import { type ServiceProcess } from './service-process';
import { Site } from './site';

jest.setTimeout(300_000);

/** The same words, one by one and all at once. */
const MODEL = 'sandbox-chat+tokens-50+delay-20';
const MODEL_AT_ONCE = 'sandbox-chat+tokens-50';
const RATE_PICOS = 1_000_000n;
const PLENTY_PICOS = 10n ** 15n;
const SESSIONS = 40;
/** The others use the client package. */
const PLAIN_SESSIONS = 30;
const RESUMES = 1_000;
const RESUMES_BEFORE_KILL = 300;
const CONNECTION_MILLIS = 500;
/** By then another replica has ended the turns of one that was killed. */
const TAKEOVER_SECONDS = 30;
/** For a machine that is busy with other things. */
const PATIENCE_MILLIS = 120_000;
/** What the database knows its connections by. */
const DOOMED = 'doomed agent';

let database: TestDatabase;
let site: Site;
let connections: RestlessConnections;
let engine: ServiceProcess;
let survivor: ServiceProcess;
let doomed: ServiceProcess;
let doomedId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [{ slug: MODEL, unit: 'per_million_tokens', ratePicos: RATE_PICOS }]);
  site = new Site(database);
  engine = await site.startEngine();
  const gateway = await site.startGateway(engine);
  const itsDatabase = `${database.urlFor('agent')}?application_name=${encodeURIComponent(DOOMED)}`;
  doomed = await site.startAgent(gateway, { DEFAULT_MODEL: MODEL, DATABASE_URL: itsDatabase });
  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM agent.replicas');
  doomedId = rows[0]!.id;
  survivor = await site.startAgent(gateway, { DEFAULT_MODEL: MODEL });
});

afterAll(async () => {
  connections?.close();
  await site?.stop();
  await database?.drop();
});

/** One customer's session, as the customer has seen it. */
interface Talk {
  account: TestAccount;
  sessionId: string;
  client: RestlessClient;
  turns: SeenTurn[];
}

async function newTalk(index: number): Promise<Talk> {
  const account = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS });
  const Client = index < PLAIN_SESSIONS ? PlainClient : PackagedClient;
  const client = new Client(connections, account.apiKey);
  return { account, sessionId: `storm-${index}`, client, turns: [] };
}

async function runningOnDoomed(): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM agent.turns WHERE runner = $1', [
    doomedId,
  ]);
  return rows.map(({ id }) => id);
}

interface Kill {
  at: Date;
  /** The turns that it ran. */
  turnIds: string[];
}

async function killDoomed(): Promise<Kill> {
  await waitFor(async () => (await runningOnDoomed()).length >= SESSIONS / 8);
  const { rows } = await database.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  await doomed.kill();
  // What it has said to the database may still take effect until its connections are gone.
  await waitFor(async () => {
    const query = 'SELECT FROM pg_stat_activity WHERE application_name = $1';
    return (await database.pool.query(query, [DOOMED])).rowCount === 0;
  });
  const turnIds = await runningOnDoomed();
  await doomed.start();
  return { at: rows[0]!.now, turnIds };
}

/** When each of these turns has ended, in seconds after that moment. */
async function endedAfter({ at, turnIds }: Kill): Promise<number[]> {
  const { rows } = await database.pool.query<{ seconds: number }>(
    `SELECT extract(epoch FROM ended_at - $2)::float8 AS seconds FROM agent.turns
     WHERE id = ANY ($1) AND status = 'failed'`,
    [turnIds, at],
  );
  return rows.map(({ seconds }) => seconds);
}

/** All talk until there were enough resumptions and nothing is left of what the killed replica ran. */
async function storm(talks: Talk[]): Promise<Kill> {
  let killed = false;
  const isOver = () => killed && connections.resumes >= RESUMES;
  const talking = Promise.all(
    talks.map(async ({ client, sessionId, turns }) => {
      while (!isOver())
        turns.push(await client.say(sessionId, `Question ${turns.length + 1} of ${sessionId}`));
    }),
  );
  const killing = (async () => {
    await waitFor(() => connections.resumes >= RESUMES_BEFORE_KILL, PATIENCE_MILLIS);
    const kill = await killDoomed();
    await waitFor(async () => (await endedAfter(kill)).length === kill.turnIds.length, PATIENCE_MILLIS);
    return kill;
  })().finally(() => (killed = true));
  const [kill] = await Promise.all([killing, talking]);
  return kill;
}

function expectSeen(seen: SeenTurn, { prompt, answer, ending }: RecordedTurn, number: number): void {
  expect(seen.content).toBe(prompt);
  expect(seen.text).toBe(answer?.content ?? '');
  expect(seen.ids).toEqual(seen.ids.map((_, index) => `${number}.${index + 1}`));
  if (seen.outcome === 'completed') {
    expect(answer).toMatchObject({ status: 'completed' });
    expect(ending).toBeNull();
  } else {
    expect(seen.error).toEqual({ code: 'interrupted', retryable: true });
    if (answer) expect(answer.status).toBe('incomplete');
    expect(ending).toMatchObject({ type: 'turn.failed', status: 'failed', error: seen.error });
  }
}

/** Whoever asks the model directly gets the same words. */
async function expectModelsText(turns: RecordedTurn[]): Promise<void> {
  const messages = messagesOf(turns);
  for (const [index, { answer }] of turns.entries()) {
    const text = await askEngine(engine, MODEL_AT_ONCE, messages[index]!);
    if (answer?.status === 'completed') expect(answer.content).toBe(text);
    else expect(text.startsWith(answer?.content ?? '')).toBe(true);
  }
}

/** Each completed turn is billed once, for what its event says; no other is billed twice. */
async function expectBilledOnce({ account }: Talk, turns: RecordedTurn[]): Promise<void> {
  const billed = await usageOf(database.pool, account.accountId);
  expect(billed.length).toBeLessThanOrEqual(turns.length);
  expect(new Set(billed.map(({ entrypoint }) => entrypoint))).toEqual(new Set(['agent']));
  // What the model is told gets longer with every turn: its length names the turn.
  expect(new Set(billed.map(({ input_tokens: tokens }) => tokens)).size).toBe(billed.length);
  for (const { answer } of turns.filter((turn) => turn.answer?.status === 'completed')) {
    const { prompt_tokens, completion_tokens } = answer!.usage!;
    const own = billed.filter(({ input_tokens: tokens }) => tokens === prompt_tokens);
    expect(own).toMatchObject([{ outcome: 'completed', output_tokens: completion_tokens }]);
  }
}

async function recordedTurnsOf({ account, sessionId }: Talk): Promise<[RecordedTurn[], SeenEvent[]]> {
  const events = await new AgentCaller(survivor.url, account.apiKey).events(sessionId);
  return [turnsOf(events), events];
}

test(`${RESUMES} resumptions over two replicas, one of them killed: nothing is lost, repeated or billed twice`, async () => {
  const startedAt = Date.now();
  connections = new RestlessConnections([doomed.url, survivor.url], CONNECTION_MILLIS, 6);
  const talks = await Promise.all(Array.from({ length: SESSIONS }, (_, i) => newTalk(i)));
  const kill = await storm(talks);
  const seconds = (Date.now() - startedAt) / 1000;
  const requests = await engineRequests(engine);

  const jobs = talks.map((talk) => async () => {
    const [turns, events] = await recordedTurnsOf(talk);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(turns).toHaveLength(talk.turns.length);
    turns.forEach((turn, index) => expectSeen(talk.turns[index]!, turn, index + 1));
    await expectModelsText(turns);
    await expectBilledOnce(talk, turns);
    return turns;
  });
  const turns = (await runAtOnce(jobs, 8)).flat();
  const failed = turns.filter(({ ending }) => ending);
  expect(failed.map(({ id }) => id).sort()).toEqual(kill.turnIds.sort());
  const takeovers = await endedAfter(kill);
  expect(Math.max(...takeovers)).toBeLessThan(TAKEOVER_SECONDS);
  expect(requests).toBeLessThanOrEqual(turns.length);
  expect([...connections.statuses.keys()]).toEqual([200]);
  expect(connections.resumes).toBeGreaterThanOrEqual(RESUMES);
  expect(await runReconcile(database)).toContain('no difference');

  const characters = talks.flatMap((talk) => talk.turns).reduce((sum, { text }) => sum + text.length, 0);
  console.log(
    `${connections.resumes} resumptions of ${turns.length} turns in ${seconds.toFixed(1)} s over 2 replicas: ` +
      `${characters} characters, none lost, none twice; ${failed.length} turns of the killed replica ended ` +
      `within ${Math.max(...takeovers).toFixed(1)} s`,
  );
});

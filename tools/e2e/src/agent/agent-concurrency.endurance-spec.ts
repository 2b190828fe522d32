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
import { runReconcile } from '../billing/ledger-totals';
import {
  PackagedClient,
  PlainClient,
  type ReconnectingClient,
  UnreliableConnections,
  type SeenTurn,
} from './reconnecting-client';
import { runConcurrently } from '../load/run-concurrently';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

/** A longer run has a kill in every thousand resumptions. */
const RESUMES = Number(process.env.AGENT_RESUMES ?? 1_000);
const RESUMES_PER_KILL = 1_000;
const RESUMES_BEFORE_KILL = 300;

jest.setTimeout(300_000 * Math.ceil(RESUMES / 1_000));

/** Generates the same words whether streamed or not. */
const MODEL = 'sandbox-chat+tokens-50+delay-20';
const MODEL_AT_ONCE = 'sandbox-chat+tokens-50';
const RATE_PICOS = 1_000_000n;
const PLENTY_PICOS = 10n ** 15n;
const SESSIONS = 40;
/** Sessions without the client package. */
const PLAIN_SESSIONS = 30;
const CONNECTION_MILLIS = 500;
/** Within this time another replica ends the turns of a killed one. */
const TAKEOVER_SECONDS = 30;
/** Long enough for a busy machine. */
const PATIENCE_MILLIS = 120_000;
/** The application name of its database connections. */
const DOOMED = 'doomed agent';

let database: TestDatabase;
let site: Site;
let connections: UnreliableConnections;
let engine: ServiceProcess;
let survivor: ServiceProcess;
let doomed: ServiceProcess;
/** Of all its starts. */
let doomedIds: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [{ slug: MODEL, unit: 'per_million_tokens', ratePicos: RATE_PICOS }]);
  site = new Site(database);
  engine = await site.startEngine();
  const gateway = await site.startGateway(engine);
  const itsDatabase = `${database.urlFor('agent')}?application_name=${encodeURIComponent(DOOMED)}`;
  doomed = await site.startAgent(gateway, { DEFAULT_MODEL: MODEL, DATABASE_URL: itsDatabase });
  doomedIds = await replicaIds();
  survivor = await site.startAgent(gateway, { DEFAULT_MODEL: MODEL });
});

afterAll(async () => {
  connections?.close();
  await site?.stop();
  await database?.drop();
});

/** A session, as its client has seen it. */
interface Conversation {
  account: TestAccount;
  sessionId: string;
  client: ReconnectingClient;
  turns: SeenTurn[];
}

async function newConversation(index: number): Promise<Conversation> {
  const account = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS });
  const Client = index < PLAIN_SESSIONS ? PlainClient : PackagedClient;
  const client = new Client(connections, account.apiKey);
  return { account, sessionId: `concurrency-${index}`, client, turns: [] };
}

async function replicaIds(): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM agent.replicas');
  return rows.map(({ id }) => id);
}

async function runningOnDoomed(): Promise<string[]> {
  const query = 'SELECT id FROM agent.turns WHERE runner = ANY ($1)';
  const { rows } = await database.pool.query<{ id: string }>(query, [doomedIds]);
  return rows.map(({ id }) => id);
}

interface Kill {
  at: Date;
  /** The turns that the killed replica ran. */
  turnIds: string[];
}

async function killDoomed(): Promise<Kill> {
  await waitFor(async () => (await runningOnDoomed()).length >= SESSIONS / 8);
  const { rows } = await database.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  await doomed.kill();
  // Its statements may still take effect until its connections are closed.
  await waitFor(async () => {
    const query = 'SELECT FROM pg_stat_activity WHERE application_name = $1';
    return (await database.pool.query(query, [DOOMED])).rowCount === 0;
  });
  const turnIds = await runningOnDoomed();
  const others = await replicaIds();
  await doomed.start();
  const started = (await replicaIds()).filter((id) => !others.includes(id));
  doomedIds = [...doomedIds, ...started];
  return { at: rows[0]!.now, turnIds };
}

/** The seconds from the kill to the end of each of its turns. */
async function endedAfter({ at, turnIds }: Kill): Promise<number[]> {
  const { rows } = await database.pool.query<{ seconds: number }>(
    `SELECT extract(epoch FROM ended_at - $2)::float8 AS seconds FROM agent.turns
     WHERE id = ANY ($1) AND status = 'failed'`,
    [turnIds, at],
  );
  return rows.map(({ seconds }) => seconds);
}

/** Runs all sessions until there were enough resumptions, and the turns of the killed replicas have ended. */
async function runLoad(conversations: Conversation[]): Promise<Kill[]> {
  let hasKilled = false;
  const isOver = () => hasKilled && connections.resumes >= RESUMES;
  const talking = Promise.all(
    conversations.map(async ({ client, sessionId, turns }) => {
      while (!isOver())
        turns.push(await client.say(sessionId, `Question ${turns.length + 1} of ${sessionId}`));
    }),
  );
  const killing = (async () => {
    const kills: Kill[] = [];
    for (let next = RESUMES_BEFORE_KILL; next < RESUMES; next += RESUMES_PER_KILL) {
      await waitFor(() => connections.resumes >= next, PATIENCE_MILLIS);
      const kill = await killDoomed();
      await waitFor(async () => (await endedAfter(kill)).length === kill.turnIds.length, PATIENCE_MILLIS);
      kills.push(kill);
    }
    return kills;
  })().finally(() => (hasKilled = true));
  const [kills] = await Promise.all([killing, talking]);
  return kills;
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

/** Checks that each answer is what the model generates for the same conversation. */
async function expectModelsText(turns: RecordedTurn[]): Promise<void> {
  const messages = messagesOf(turns);
  for (const [index, { answer }] of turns.entries()) {
    const text = await askEngine(engine, MODEL_AT_ONCE, messages[index]!);
    if (answer?.status === 'completed') expect(answer.content).toBe(text);
    else expect(text.startsWith(answer?.content ?? '')).toBe(true);
  }
}

/** Checks that each completed turn is billed once, for the usage of its event, and no turn is billed twice. */
async function expectBilledOnce({ account }: Conversation, turns: RecordedTurn[]): Promise<void> {
  const billed = await usageOf(database.pool, account.accountId);
  expect(billed.length).toBeLessThanOrEqual(turns.length);
  expect(new Set(billed.map(({ entrypoint }) => entrypoint))).toEqual(new Set(['agent']));
  // The tokens of a call that broke off are the gateway's estimate, which may be that of another prompt.
  const broken = billed.filter(({ outcome }) => outcome !== 'completed');
  expect(broken.length).toBeLessThanOrEqual(turns.filter(({ ending }) => ending).length);
  // The prompt grows with every turn that has an answer, so the length that the model reports identifies the turn.
  const reported = billed.filter(({ outcome }) => outcome === 'completed');
  expect(new Set(reported.map(({ input_tokens: tokens }) => tokens)).size).toBe(reported.length);
  for (const { answer } of turns.filter((turn) => turn.answer?.status === 'completed')) {
    const { prompt_tokens, completion_tokens } = answer!.usage!;
    const own = reported.filter(({ input_tokens: tokens }) => tokens === prompt_tokens);
    expect(own).toMatchObject([{ outcome: 'completed', output_tokens: completion_tokens }]);
  }
}

async function recordedTurnsOf({ account, sessionId }: Conversation): Promise<[RecordedTurn[], SeenEvent[]]> {
  const events = await new AgentCaller(survivor.url, account.apiKey).events(sessionId);
  return [turnsOf(events), events];
}

test(`${RESUMES} resumptions over two replicas, one of which is killed, lose, repeat and double-bill nothing`, async () => {
  const startedAt = Date.now();
  connections = new UnreliableConnections([doomed.url, survivor.url], CONNECTION_MILLIS, 6);
  const conversations = await Promise.all(Array.from({ length: SESSIONS }, (_, i) => newConversation(i)));
  const kills = await runLoad(conversations);
  const seconds = (Date.now() - startedAt) / 1000;
  const requests = await engineRequests(engine);

  const jobs = conversations.map((conversation) => async () => {
    const [turns, events] = await recordedTurnsOf(conversation);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(turns).toHaveLength(conversation.turns.length);
    turns.forEach((turn, index) => expectSeen(conversation.turns[index]!, turn, index + 1));
    await expectModelsText(turns);
    await expectBilledOnce(conversation, turns);
    return turns;
  });
  const turns = (await runConcurrently(jobs, 8)).flat();
  const failed = turns.filter(({ ending }) => ending);
  expect(failed.map(({ id }) => id).sort()).toEqual(kills.flatMap(({ turnIds }) => turnIds).sort());
  const takeovers = (await Promise.all(kills.map(endedAfter))).flat();
  expect(Math.max(...takeovers)).toBeLessThan(TAKEOVER_SECONDS);
  expect(requests).toBeLessThanOrEqual(turns.length);
  expect([...connections.statuses.keys()]).toEqual([200]);
  expect(connections.resumes).toBeGreaterThanOrEqual(RESUMES);
  expect(await runReconcile(database)).toContain('no difference');

  const characters = conversations
    .flatMap((conversation) => conversation.turns)
    .reduce((sum, { text }) => sum + text.length, 0);
  console.log(
    `${connections.resumes} resumptions of ${turns.length} turns in ${seconds.toFixed(1)} s over 2 replicas with ${kills.length} kills: ` +
      `${characters} characters, none lost, none twice; ${failed.length} turns of killed replicas ended ` +
      `within ${Math.max(...takeovers).toFixed(1)} s`,
  );
});

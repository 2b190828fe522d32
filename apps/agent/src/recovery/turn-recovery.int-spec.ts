import { newId } from '@inference/database';
import { ScriptedModel, type TestAccount, waitFor } from '@inference/testing';
import { AgentSite, Customer, readStream, textOf } from '../agent.fixture';
import { appendDeltas } from '../streams/stream-events.repository';
import { ReplicaHeartbeat } from '../replicas/replica-heartbeat';

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
    environment: { REPLICA_TTL_SECONDS: '1' },
  });
  account = await site.account();
  customer = new Customer(site.url, account.apiKey);
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

/** Inserts a turn that `runner` left in the middle of a sentence. */
async function turnOf(runner: string): Promise<{ id: string; turnId: string }> {
  const id = `replica-${++count}`;
  const turnId = newId('turn');
  await customer.json('POST', '', { id }, 201);
  const { pool } = site;
  // In one statement, so that the recovery never sees a part of it.
  await pool.query(
    `WITH session AS (UPDATE agent.sessions SET last_seq = 1, last_turn = 1 WHERE id = $1),
     turn AS (INSERT INTO agent.turns (id, session_id, number, api_key_id, status, runner, call_position)
       VALUES ($2, $1, 1, $3, 'running', $4, 1)),
     event AS (INSERT INTO agent.events (id, session_id, seq, turn_id, type, role, content, tokens, after_position)
       VALUES ($5, $1, 1, $2, 'message', 'user', 'Hello', 9, 0))
     INSERT INTO agent.stream_events (turn_id, n, kind, data)
     VALUES ($2, 1, 'turn.started', json_build_object('turn_id', $2::text)), ($2, 2, 'delta', 'Half '), ($2, 3, 'delta', 'a sen')`,
    [await site.internalIdOf(id), turnId, account.apiKeyId, runner, newId('evt')],
  );
  return { id, turnId };
}

const INTERRUPTED = [
  { seq: 1, role: 'user', status: 'failed' },
  { seq: 2, type: 'message', role: 'assistant', content: 'Half a sen', status: 'incomplete' },
  { seq: 3, type: 'turn.failed', error: { code: 'interrupted', retryable: true } },
];

test('the turns of a dead replica fail with their text so far, and the next turn runs', async () => {
  await site.pool.query("INSERT INTO agent.replicas VALUES ('rep_gone', now() + interval '1 hour')");
  const { id } = await turnOf('rep_gone');
  const followed = customer.call('GET', `/${id}/events/stream`);
  await customer.json('POST', `/${id}/events?on_busy=enqueue`, { role: 'user', content: 'Next' });
  await site.pool.query("DELETE FROM agent.replicas WHERE id = 'rep_gone'");
  const streamEvents = await readStream(await followed);
  expect(textOf(streamEvents)).toBe('Half a sen');
  expect(streamEvents.at(-1)).toMatchObject({
    event: 'error',
    id: '1.4',
    data: { code: 'interrupted', retryable: true },
  });
  await waitFor(async () => (await customer.events(id)).length === 5);
  const [first, , ...rest] = await customer.events(id);
  expect([first, ...rest.slice(0, 2)]).toMatchObject([
    INTERRUPTED[0],
    { ...INTERRUPTED[1], seq: 3 },
    { ...INTERRUPTED[2], seq: 4 },
  ]);
  expect(rest.at(-1)).toMatchObject({ seq: 5, role: 'assistant', status: 'completed' });
  // The interrupted turn did not run again: only the next one was billed.
  expect((await site.pool.query('SELECT FROM metering.usage_events')).rowCount).toBe(1);
});

test('the turns of a live replica are left alone', async () => {
  await site.pool.query("INSERT INTO agent.replicas VALUES ('rep_lives', now() + interval '1 hour')");
  const living = await turnOf('rep_lives');
  const dead = await turnOf('rep_dead');
  await waitFor(async () => (await customer.events(dead.id)).length === 3);
  expect(await customer.events(dead.id)).toMatchObject(INTERRUPTED);
  expect(await customer.events(living.id)).toHaveLength(1);
  await site.pool.query("UPDATE agent.replicas SET expires_at = now() WHERE id = 'rep_lives'");
  await waitFor(async () => (await customer.events(living.id)).length === 3);
});

test('a turn that is assigned to this replica but does not run fails', async () => {
  const { id } = await turnOf(site.replicas[0]!.app.get(ReplicaHeartbeat).replicaId);
  await waitFor(async () => (await customer.events(id)).length === 3);
  expect(await customer.events(id)).toMatchObject(INTERRUPTED);
});

test('a queued turn without a job is enqueued again', async () => {
  const id = `replica-${++count}`;
  const { turn_id: turnId } = await customer.json<{ turn_id: string }>('POST', `/${id}/events`, {
    role: 'user',
    content: 'x',
  });
  await waitFor(async () => (await customer.events(id)).length === 2);
  await site.pool.query(
    `INSERT INTO agent.turns (id, session_id, number, api_key_id, status, created_at)
     SELECT 'turn_without_job', session_id, 2, api_key_id, 'queued', now() - interval '1 hour' FROM agent.turns WHERE id = $1`,
    [turnId],
  );
  await waitFor(async () => (await customer.events(id)).length === 3);
});

test('a replica that has lost a turn stores no more of it and aborts the call of the model', async () => {
  const id = `replica-${++count}`;
  await customer.json('POST', '', { id, model: 'scripted' }, 201);
  let left: Promise<void> | undefined;
  let more: () => void = () => undefined;
  model.says((answer) => {
    left = answer.left();
    answer.delta({ content: 'Mine.' });
    more = () => answer.delta({ content: 'Still mine?' });
  });
  const { turn_id: turnId } = await customer.json<{ turn_id: string }>('POST', `/${id}/events`, {
    role: 'user',
    content: 'x',
  });
  const streamEvents = async () =>
    (
      await site.pool.query<{ data: string }>(
        'SELECT data FROM agent.stream_events WHERE turn_id = $1 ORDER BY n',
        [turnId],
      )
    ).rows;
  await waitFor(async () => (await streamEvents()).length === 2);
  await site.pool.query("INSERT INTO agent.replicas VALUES ('rep_other', now() + interval '1 hour')");
  await site.pool.query("UPDATE agent.turns SET runner = 'rep_other' WHERE id = $1", [turnId]);
  more();
  await left;
  expect((await streamEvents()).map(({ data }) => data).at(-1)).toBe('Mine.');
  expect(await customer.events(id)).toHaveLength(1);
});

describe('writing deltas', () => {
  const RUNNER = 'rep_writes';
  beforeAll(async () => {
    await site.pool.query("INSERT INTO agent.replicas VALUES ($1, now() + interval '1 hour')", [RUNNER]);
  });

  /** Whether the delta is written. */
  const append = async (turnId: string, n: number, text: string, runner = RUNNER) =>
    (await appendDeltas(site.pool, [{ turnId, n, text }], runner)).size === 1;

  it('finds out whether an unconfirmed write took effect', async () => {
    const { turnId } = await turnOf(RUNNER);
    expect(await append(turnId, 4, 'x')).toBe(true);
    expect(await append(turnId, 4, 'x')).toBe(true);
    // Another event has the number.
    expect(await append(turnId, 4, 'y')).toBe(false);
  });

  it('writes the other deltas if the number of one is taken', async () => {
    const [taken, free] = [await turnOf(RUNNER), await turnOf(RUNNER)];
    await append(taken.turnId, 4, 'x');
    const deltas = [taken, free].map(({ turnId }) => ({ turnId, n: 4, text: 'y' }));
    expect(await appendDeltas(site.pool, deltas, RUNNER)).toEqual(new Set([deltas[1]]));
    expect(await append(free.turnId, 5, 'z')).toBe(true);
  });

  it('counts all deltas of a statement that is repeated as stored', async () => {
    const turns = [await turnOf(RUNNER), await turnOf(RUNNER)];
    const deltas = turns.map(({ turnId }) => ({ turnId, n: 4, text: 'x' }));
    for (const _attempt of [1, 2])
      expect(await appendDeltas(site.pool, deltas, RUNNER)).toEqual(new Set(deltas));
  });

  it('writes only deltas of turns that the replica runs', async () => {
    const [own, other] = [await turnOf(RUNNER), await turnOf(RUNNER)];
    await site.pool.query(
      "UPDATE agent.turns SET status = 'cancelled', runner = NULL, ended_at = now() WHERE id = $1",
      [other.turnId],
    );
    const deltas = [own, other, { turnId: 'turn_never' }].map(({ turnId }) => ({ turnId, n: 4, text: 'x' }));
    expect(await appendDeltas(site.pool, deltas, RUNNER)).toEqual(new Set([deltas[0]]));
    expect(await append(own.turnId, 5, 'x', 'rep_another')).toBe(false);
  });
});

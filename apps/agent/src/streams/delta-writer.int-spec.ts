import { newId } from '@inference/database';
import { waitFor, waitForLock } from '@inference/testing';
import { BACKGROUND_DATABASE } from '../background-database.module';
import { AgentSite, Customer } from '../agent.fixture';
import { type DeltaSource, DeltaWriter } from './delta-writer';
import { type StreamHub } from './stream-hub';

const REPLICA = 'rep_writes_deltas';

let site: AgentSite;
let customer: Customer;
let writer: DeltaWriter;
/** What was published, as `<turn> <number> <text>`. */
let published: string[];

beforeAll(async () => {
  site = await AgentSite.start();
  const { apiKey } = await site.account();
  customer = new Customer(site.url, apiKey);
  await site.pool.query("INSERT INTO agent.replicas VALUES ($1, now() + interval '1 hour')", [REPLICA]);
});
afterAll(() => site?.stop());
beforeEach(() => {
  published = [];
  const hub: Pick<StreamHub, 'publish'> = {
    publish: (turnId, events) => {
      for (const { n, data } of events) published.push(`${turnId} ${n} ${data}`);
    },
  };
  writer = new DeltaWriter(site.replicas[0]!.app.get(BACKGROUND_DATABASE), hub as StreamHub);
});

let count = 0;

/** A turn that the replica runs, as far as the database knows. */
class RunningTurn implements DeltaSource {
  lastPosition = 0;
  pendingText = '';
  isAbandoned = false;

  private constructor(readonly turnId: string) {}

  static async make(): Promise<RunningTurn> {
    const [id, turnId] = [`deltas-${++count}`, newId('turn')];
    await customer.json('POST', '', { id }, 201);
    await site.pool.query(
      `INSERT INTO agent.turns (id, session_id, number, status, runner, call_position) VALUES ($1, $2, 1, 'running', $3, 0)`,
      [turnId, await site.internalIdOf(id), REPLICA],
    );
    return new RunningTurn(turnId);
  }

  onWritten(): void {
    // Nobody waits for it.
  }

  abandon(): void {
    this.isAbandoned = true;
  }
}

it('stores the text of other turns while a statement waits, and that of each turn in its order', async () => {
  const [held, free] = [await RunningTurn.make(), await RunningTurn.make()];
  const other = await site.pool.connect();
  try {
    // The statement waits to see whether this event will exist.
    await other.query('BEGIN');
    await other.query("INSERT INTO agent.stream_events VALUES ($1, 1, 'delta', 'other')", [held.turnId]);
    writer.add(held, 'a', REPLICA);
    await waitFor(() => held.pendingText === '');
    writer.add(held, 'b', REPLICA);
    writer.add(free, 'x', REPLICA);
    await waitFor(() => free.lastPosition === 1);
    writer.add(free, 'y', REPLICA);
    await waitFor(() => free.lastPosition === 2);
    expect(published).toEqual([`${free.turnId} 1 x`, `${free.turnId} 2 y`]);
    await other.query('ROLLBACK');
  } finally {
    other.release();
  }
  await waitFor(() => held.lastPosition === 2);
  expect(published.slice(2)).toEqual([`${held.turnId} 1 a`, `${held.turnId} 2 b`]);
});

it('gives up a turn that another process ends at the same moment, and no other turn of the statement', async () => {
  const [cancelled, other] = [await RunningTurn.make(), await RunningTurn.make()];
  const canceller = await site.pool.connect();
  try {
    await canceller.query('BEGIN');
    await canceller.query("INSERT INTO agent.stream_events VALUES ($1, 1, 'turn.cancelled', '{}')", [
      cancelled.turnId,
    ]);
    await canceller.query(
      "UPDATE agent.turns SET status = 'cancelled', runner = NULL, ended_at = now() WHERE id = $1",
      [cancelled.turnId],
    );
    writer.add(cancelled, 'late', REPLICA);
    writer.add(other, 'x', REPLICA);
    await waitForLock(site.pool);
    expect(published).toEqual([]);
    await canceller.query('COMMIT');
  } finally {
    canceller.release();
  }
  await waitFor(() => cancelled.isAbandoned && other.lastPosition === 1);
  expect(published).toEqual([`${other.turnId} 1 x`]);
});

it('gives up a turn whose next event another process has stored', async () => {
  const turn = await RunningTurn.make();
  await site.pool.query("INSERT INTO agent.stream_events VALUES ($1, 1, 'turn.cancelled', '{}')", [
    turn.turnId,
  ]);
  writer.add(turn, 'late', REPLICA);
  await waitFor(() => turn.isAbandoned);
  expect(published).toEqual([]);
});

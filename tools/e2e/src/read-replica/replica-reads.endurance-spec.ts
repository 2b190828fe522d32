import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Logger } from '@nestjs/common';
import { type Executor, ReadDatabase } from '@inference/database';
import { TestPool } from '@inference/testing';
import { PostgresProcess } from '../site/postgres-process';

/** Longer than the primary answers alone after the replica was behind (1 s) and away (5 s). */
const PAUSE_MILLIS = 6_000;

let primary: PostgresProcess;
let standby: PostgresProcess;
let standbyUrl: string;
let writes: TestPool;
let replica: TestPool;
let reads: ReadDatabase;
let warnings: jest.SpyInstance;

beforeAll(async () => {
  // A replica gets what is flushed.
  primary = await PostgresProcess.create({ synchronous_commit: 'on' });
  const url = await primary.start();
  standby = await primary.createStandby(url);
  standbyUrl = await standby.start();
  writes = TestPool.of({ url, applicationName: 'primary', size: 4 });
  replica = TestPool.of({ url: standbyUrl, applicationName: 'replica', size: 4, connectMillis: 1_000 });
  await writes.query('CREATE TABLE written (id int PRIMARY KEY)');
});
afterAll(async () => {
  await writes?.end();
  await replica?.end();
  await standby?.remove();
  await primary?.remove();
});
beforeEach(() => {
  reads = new ReadDatabase(writes, replica);
  warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
});
afterEach(() => warnings.mockRestore());

/** What is written, and whether the replica answered. */
const look = async (executor: Executor) =>
  (
    await executor.query<{ last: number | null; isReplica: boolean }>(
      'SELECT (SELECT max(id) FROM written) AS last, pg_is_in_recovery() AS "isReplica"',
    )
  ).rows[0]!;

const write = (id: number) => writes.query('INSERT INTO written VALUES ($1)', [id]);

/** Reads until the replica answers, which it does when it is no longer behind. */
async function lookAtReplica(): Promise<{ last: number | null; isReplica: boolean }> {
  for (const deadline = Date.now() + 10 * PAUSE_MILLIS; ;) {
    const seen = await reads.read(look);
    if (seen.isReplica || Date.now() > deadline) return seen;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a read with a replica', () => {
  it('is answered by the replica', async () => {
    await write(1);
    expect(await lookAtReplica()).toEqual({ last: 1, isReplica: true });
  });

  it('sees each write that was confirmed before it', async () => {
    let answered = 0;
    for (let id = 100; answered < 100; id++) {
      await write(id);
      // A new one makes no pause.
      const { last, isReplica } = await new ReadDatabase(writes, replica).read(look);
      expect(last).toBe(id);
      if (isReplica) answered++;
    }
  });

  it('is answered by the primary while the replica does not replay', async () => {
    await replica.query('SELECT pg_wal_replay_pause()');
    try {
      await write(1_000_000);
      expect(await reads.read(look)).toEqual({ last: 1_000_000, isReplica: false });
      // Within the pause nothing asks the replica.
      expect(await reads.read(look)).toEqual({ last: 1_000_000, isReplica: false });
      expect((await look(replica)).last).not.toBe(1_000_000);
    } finally {
      await replica.query('SELECT pg_wal_replay_resume()');
    }
    expect(await lookAtReplica()).toEqual({ last: 1_000_000, isReplica: true });
  });

  it('throws the error of the work itself, and does the work once', async () => {
    await lookAtReplica();
    let times = 0;
    const failing = reads.read(async (executor) => {
      times++;
      await executor.query('SELECT nothing FROM nowhere');
    });
    await expect(failing).rejects.toThrow('relation "nowhere" does not exist');
    expect(times).toBe(1);
  });

  it('is answered by the primary while the replica is away, with one warning', async () => {
    await standby.stop();
    await write(2_000_000);
    expect(await reads.read(look)).toEqual({ last: 2_000_000, isReplica: false });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
    await write(2_000_001);
    expect(await reads.read(look)).toEqual({ last: 2_000_001, isReplica: false });
    expect(warnings).toHaveBeenCalledTimes(1);
    await standby.start();
    expect(await lookAtReplica()).toEqual({ last: 2_000_001, isReplica: true });
  });

  it('is answered by the primary when the replica dies in the middle', async () => {
    await lookAtReplica();
    let times = 0;
    const seen = await reads.read(async (executor) => {
      if (times++ === 0) await standby.stop();
      return look(executor);
    });
    expect([times, seen.isReplica]).toEqual([2, false]);
    await standby.start();
  });

  it('is answered by the primary while the replica accepts connections and says nothing', async () => {
    let isSilent = false;
    const proxy = createServer((client) => {
      const server = connect(Number(new URL(standbyUrl).port), '127.0.0.1');
      client.on('data', (data) => isSilent || server.write(data)).on('close', () => server.destroy());
      server.on('data', (data) => isSilent || client.write(data)).on('close', () => client.destroy());
      for (const socket of [client, server]) socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = new URL(standbyUrl);
    url.port = String((proxy.address() as AddressInfo).port);
    const distant = TestPool.of({ url: url.href, applicationName: 'distant', size: 2, connectMillis: 1_000 });
    reads = new ReadDatabase(writes, distant);
    expect((await lookAtReplica()).isReplica).toBe(true);
    isSilent = true;
    const startedAt = Date.now();
    expect((await reads.read(look)).isReplica).toBe(false);
    // Far from the 35 seconds after which the statement fails by itself.
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    expect(warnings).toHaveBeenCalledTimes(1);
    proxy.close();
    await standby.stop();
    await standby.start();
    await distant.end();
  });

  it('is answered by the primary if the replica does not know the role', async () => {
    const url = new URL(standbyUrl);
    url.username = 'nobody';
    const unknown = TestPool.of({ url: url.href, applicationName: 'unknown', size: 1 });
    reads = new ReadDatabase(writes, unknown);
    expect((await reads.read(look)).isReplica).toBe(false);
    expect(warnings).toHaveBeenCalledTimes(1);
    await unknown.end();
  });

  it('never asks a replica that has become a primary', async () => {
    await lookAtReplica();
    await replica.query('SELECT pg_promote()');
    await write(3_000_000);
    expect(await reads.read(look)).toEqual({ last: 3_000_000, isReplica: false });
  });
});

it('is answered by the primary without a replica', async () => {
  expect(await new ReadDatabase(writes, null).read(look)).toMatchObject({ isReplica: false });
});

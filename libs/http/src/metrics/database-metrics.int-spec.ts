import { Module } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { Database, DatabaseModule } from '@inference/database';
import {
  createTestDatabase,
  metricsOf,
  type TestDatabase,
  testLog,
  valueOf,
  waitFor,
} from '@inference/testing';
import { createService, type ServiceOptions } from '../service';
import { ServiceModule } from '../service.module';

const LIMIT = 2;

@Module({})
class EmptyModule {}

const start = (
  url: string,
  readUrl?: string,
  logTo: ServiceOptions['logTo'] = testLog('pools'),
): Promise<NestExpressApplication> =>
  createService(
    {
      module: EmptyModule,
      imports: [
        ServiceModule.forRoot({}),
        DatabaseModule.forRoot('pools', {
          DATABASE_URL: url,
          DATABASE_READ_URL: readUrl,
          DATABASE_POOL_SIZE: LIMIT,
        }),
      ],
    },
    { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' },
    { name: 'pools', logTo },
  );

let database: TestDatabase;
let app: NestExpressApplication;

beforeAll(async () => {
  database = await createTestDatabase();
  const url = database.urlFor('router_cost');
  app = await start(url, url);
});

afterAll(async () => {
  await app?.close();
  await database?.drop();
});

it('shows who uses the connections, who waits, and how long they have waited', async () => {
  const pool = app.get(Database);
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  let held = 0;
  const hold = async () => {
    held += 1;
    await released;
  };
  const holders = Array.from({ length: LIMIT }, () => pool.transaction(hold));
  await waitFor(() => held === LIMIT);
  const waiter = pool.query('SELECT 1');
  const busy = await metricsOf(app);
  expect(valueOf(busy, 'database_pool_connections{pool="primary",state="busy"}')).toBe(LIMIT);
  expect(valueOf(busy, 'database_pool_limit{pool="primary"}')).toBe(LIMIT);
  // The scrape itself asks whether the database answers.
  expect(valueOf(busy, 'database_pool_waiting{pool="primary"}')).toBeGreaterThanOrEqual(1);
  expect(valueOf(busy, 'database_pool_wait_seconds_count{pool="primary"}')).toBe(0);
  expect(valueOf(busy, 'database_pool_limit{pool="replica"}')).toBe(LIMIT);
  release();
  await Promise.all([...holders, waiter]);
  const idle = await waitFor(async () => {
    const text = await metricsOf(app);
    return valueOf(text, 'database_pool_connections{pool="primary",state="busy"}') === 0 && text;
  });
  expect(valueOf(idle, 'database_pool_wait_seconds_count{pool="primary"}')).toBeGreaterThanOrEqual(1);
  expect(valueOf(idle, 'database_pool_wait_seconds_sum{pool="primary"}')).toBeGreaterThan(0);
  expect(valueOf(idle, 'database_pool_waiting{pool="primary"}')).toBe(0);
});

it('says whether the database answers', async () => {
  await waitFor(async () => valueOf(await metricsOf(app), 'database_up') === 1);
  const down = await start('postgres://router_cost:secret@127.0.0.1:1/none');
  const text = await metricsOf(down);
  await down.close();
  expect(valueOf(text, 'database_up')).toBe(0);
  expect(valueOf(text, 'database_pool_limit{pool="primary"}')).toBe(LIMIT);
});

it.each([
  [75, '75 s ahead of'],
  [-90, '90 s behind'],
])('tells when the clock of the host is %i s off', async (seconds, words) => {
  const realNow = Date.now;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => realNow() + seconds * 1_000);
  const lines: string[] = [];
  const other = await start(database.urlFor('router_cost'), undefined, {
    write: (line) => void lines.push(line),
  });
  await other.init();
  await waitFor(() => lines.some((line) => line.includes(words)));
  const difference = valueOf(await metricsOf(other), 'database_clock_difference_seconds');
  clock.mockRestore();
  await other.close();
  expect(difference).toBeGreaterThan(seconds - 5);
  expect(difference).toBeLessThan(seconds + 5);
});

it('says nothing of a clock that is right', async () => {
  expect(Math.abs(valueOf(await metricsOf(app), 'database_clock_difference_seconds')!)).toBeLessThan(5);
});

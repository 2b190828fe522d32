import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describeWithSwift, SwiftServer, waitFor } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { ConsoleProcess } from '../../testing/console-process.fixture';
import { PARTITION } from '../usage/usage.fixture';
import {
  compareWithBooks,
  type ExportedRows,
  filesIn,
  insertClosedHours,
  readExported,
} from './exported-files.fixture';

const FIRST = new Date('2026-01-31T22:00:00Z');
const FROM = '2026-01-31';
const ROUNDS = 8;
/** Some 5 seconds of work on a slow machine. */
const CALLS = [12_000, 0, 12_000, 12_000];
const MANY_CALLS = 200_000;
/** The rows of such an hour would take several times as much. */
const HEAP_MEGABYTES = 160;

let site: TestSite;
let admin: SignedIn;
let folder: string;
const processes: ConsoleProcess[] = [];

async function startSite(calls: number[]): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'exports-'));
  site = await TestSite.start();
  admin = await site.signedIn('admin');
  await site.database.pool.query(PARTITION);
  await insertClosedHours(site.database.pool, (await site.signedIn()).accountId, { first: FIRST, calls });
  // The same connection: the server counts what it has read up to ten seconds later otherwise.
  await site.database.pool.query('SELECT pg_stat_force_next_flush()');
}

async function stopSite(): Promise<void> {
  for (const started of processes.splice(0)) started.kill();
  await site?.stop();
  await rm(folder, { recursive: true, force: true });
}

const inFolder = () => ({ EXPORT_STORAGE_FOLDER: folder, EXPORT_FROM: FROM });

/** A console of its own process. */
async function startConsole(environment: Record<string, string>): Promise<ConsoleProcess> {
  const started = await ConsoleProcess.start(site, admin.token, environment);
  processes.push(started);
  return started;
}

/** As if the minute until the next run were over, and the claims of the dead. */
async function runNow(): Promise<void> {
  await site.database.pool.query(
    'UPDATE billing.exported_hours SET due_at = now() WHERE exported_at IS NULL',
  );
  await site.database.pool.query(
    "SELECT console_jobs.add_job('export-hours', job_key := 'export-hours', run_at := now())",
  );
}

const untilExported = (hours: number) =>
  waitFor(
    async () =>
      (await site.database.pool.query('SELECT FROM billing.exported_hours WHERE exported_at IS NOT NULL'))
        .rowCount === hours,
  );

async function expectAsInBooks(exported: ExportedRows): Promise<void> {
  const { exported: sums, books } = await compareWithBooks(site.database.pool, exported);
  expect(sums).toEqual(books);
}

describe('a console that is killed while it exports', () => {
  beforeAll(() => startSite(CALLS));
  afterAll(stopSite);

  it('is taken over: each hour is there once, exact, with the same bytes', async () => {
    let expected: Map<string, Buffer> | undefined;
    const found: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await site.database.pool.query('DELETE FROM billing.exported_hours');
      await rm(folder, { recursive: true, force: true });
      const killed = await startConsole(inFolder());
      await runNow();
      await waitFor(async () => (await filesIn(folder)).size > 0);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2_500));
      killed.kill();
      const left = await filesIn(folder);
      // What has a manifest is whole.
      found.push(readExported(left).manifests.length);
      const [one, two] = [await startConsole(inFolder()), await startConsole(inFolder())];
      await runNow();
      await untilExported(CALLS.length);
      for (const other of [one, two]) other.kill();
      const files = await filesIn(folder);
      await expectAsInBooks(readExported(files));
      expected ??= files;
      expect(files).toEqual(expected);
    }
    console.log(`Manifests that the killed consoles had written: ${found.join(', ')} of ${CALLS.length}.`);
    expect(found.some((manifests) => manifests < CALLS.length)).toBe(true);
  });
});

describe('an hour of very many calls', () => {
  beforeAll(() => startSite([MANY_CALLS]));
  afterAll(stopSite);

  /** Events that were read by an index. */
  const readByIndex = async () => {
    const { rows } = await site.database.pool.query<{ fetched: string }>(
      "SELECT sum(idx_tup_fetch)::text AS fetched FROM pg_stat_user_tables WHERE relname LIKE 'usage_events%'",
    );
    return Number(rows[0]!.fetched);
  };

  it('is exported with little memory, and read once for each of two sets', async () => {
    const NODE_OPTIONS = `--max-old-space-size=${HEAP_MEGABYTES}`;
    const started = await startConsole({ ...inFolder(), NODE_OPTIONS });
    const readBefore = await readByIndex();
    const startMillis = performance.now();
    await runNow();
    await untilExported(1);
    const seconds = (performance.now() - startMillis) / 1_000;
    console.log(
      `${MANY_CALLS} calls in ${seconds.toFixed(1)} s; the process took ${started.peakKilobytes} KB at most.`,
    );
    const exported = readExported(await filesIn(folder));
    expect(exported.manifests.map(({ datasets }) => datasets.usage.files.length)).toEqual([2]);
    // The figures of the server are late.
    const read = await waitFor(async () => {
      const since = (await readByIndex()) - readBefore;
      return since >= 2 * MANY_CALLS && since;
    });
    expect(read).toBeLessThan(2.5 * MANY_CALLS);
    await expectAsInBooks(exported);
  });
});

describeWithSwift('a bucket', () => {
  let swift: SwiftServer;
  let client: S3Client;
  const Bucket = 'warehouse';

  beforeAll(async () => {
    await startSite([2_000, 2_000]);
    swift = await SwiftServer.start();
    const { endpoint, region, credentials } = swift.config(Bucket);
    client = new S3Client({ endpoint: endpoint!, region, credentials: credentials!, forcePathStyle: true });
  });
  afterAll(async () => {
    client?.destroy();
    await swift?.stop();
    await stopSite();
  });

  it('gets the same files as a folder, once it is there', async () => {
    const { endpoint, region, credentials } = swift.config(Bucket);
    const inBucket = await startConsole({
      ...{
        EXPORT_S3_BUCKET: Bucket,
        EXPORT_S3_REGION: region,
        EXPORT_S3_ENDPOINT: endpoint!,
        EXPORT_FROM: FROM,
      },
      ...{
        EXPORT_S3_ACCESS_KEY_ID: credentials!.accessKeyId,
        EXPORT_S3_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
      },
      ...{ EXPORT_S3_PREFIX: 'inference/', EXPORT_S3_FORCE_PATH_STYLE: 'true' },
    });
    await runNow();
    await waitFor(
      async () =>
        (await site.database.pool.query('SELECT FROM billing.exported_hours WHERE error IS NOT NULL'))
          .rowCount === 1,
    );
    await client.send(new CreateBucketCommand({ Bucket }));
    await runNow();
    await untilExported(2);
    inBucket.kill();
    await site.database.pool.query('DELETE FROM billing.exported_hours');
    await startConsole(inFolder());
    await runNow();
    await untilExported(2);
    const files = await filesIn(folder);
    await expectAsInBooks(readExported(files));
    for (const [key, content] of files) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: `inference/${key}` }));
      expect(Buffer.from(await Body!.transformToByteArray()).equals(content)).toBe(true);
    }
  });
});

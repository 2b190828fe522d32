import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  describeWithSwift,
  rememberEnvironment,
  SwiftServer,
  waitFor,
  waitForLock,
} from '@inference/testing';
import { ArchiveSite, daysAfter, EARLIER, MONTH, monthStart, MONTHS } from './archive-site.fixture';
import { dayText } from './files/manifest';

const COMMAND = join(__dirname, '../../../dist/libs/usage-archive/src/command.js');
/** Chosen: small against a run, so that it is killed in all of its phases. */
const DELAY_STEP_MILLIS = 20;

let site: ArchiveSite;
const running = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await site?.stop();
});

interface Run {
  child: ChildProcess;
  /** Exit code, null if it was killed, and what it has printed. */
  ended: Promise<{ code: number | null; output: string }>;
}

function start(args: string[], storage: Record<string, string> = { STORAGE_FOLDER: site.folder }): Run {
  const env = {
    PATH: process.env.PATH!,
    DATABASE_URL: site.database.ownerUrl,
    USAGE_EVENTS_RETENTION_MONTHS: String(MONTHS),
    ...storage,
  };
  rememberEnvironment(env);
  const child = spawn(process.execPath, [COMMAND, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return { code: code as number | null, output };
  });
  return { child, ended };
}

const run = (args: string[], storage?: Record<string, string>) => start(args, storage).ended;
const restoreArgs = ['restore', '--from', dayText(MONTH), '--to', dayText(monthStart(MONTHS))];

describe('npm run usage', () => {
  beforeEach(async () => {
    site = await ArchiveSite.start();
  });

  it.each([
    [[], 'command: must be export, verify or restore'],
    [['drop'], 'command: must be export, verify or restore'],
    [['restore'], 'restore: needs --from and --to'],
    [['restore', '--from', '2026-02-01', '--to', '2026-02-01'], '--from: must be a day before --to'],
    [['verify', '--from', '2026-02-02', '--to', '2026-02-01'], '--from: must be a day before --to'],
    [['restore', '--from', '2026-02-30', '--to', '2026-03-01'], '--from: must be a day such as 2026-01-31'],
    [['verify', '--daily'], 'verify: takes no --restored and no --daily'],
    [['export', '--from', '2026-01-01'], 'export: takes no --from and no --to'],
    [['export', '--all'], "Unknown option '--all'"],
  ])('refuses %j', async (args, message) => {
    const { code, output } = await run(args);
    expect([code, output]).toEqual([2, expect.stringContaining(message)]);
  });

  it('keeps everything unless told how long', async () => {
    const { code, output } = await run(['export'], { USAGE_EVENTS_RETENTION_MONTHS: '' });
    expect([code, output]).toEqual([0, expect.stringContaining('all usage events stay')]);
  });

  it('says up to which day events are archived', async () => {
    const due = dayText(monthStart(MONTHS));
    const rolled = (until: string) =>
      site.database.pool.query(`UPDATE metering.rollup_progress SET rolled_until = ${until}`);
    await rolled('NULL');
    const lines = [(await run(['export'])).output];
    await rolled(`'${MONTH.toISOString()}'`);
    lines.push((await run(['export'])).output);
    await rolled('now()');
    lines.push((await run(['export'])).output);
    await run(restoreArgs);
    lines.push((await run(['export'])).output);
    const [last, earlier] = [daysAfter(MONTH, 27), daysAfter(EARLIER, 9)].map(dayText);
    expect(lines.map((output) => output.trim().split('\n').at(-1))).toEqual([
      `No usage events are archived; no hour is rolled up, and those before ${due} wait for it.`,
      `Usage events up to ${earlier} are archived; the rollup ends at ${MONTH.toISOString()}, and those before ${due} wait for it.`,
      `Usage events up to ${last} are archived; there are no others before ${due}.`,
      `Usage events up to ${last} are archived; there are no others before ${due}. 2 archived days are in the database, too.`,
    ]);
  });

  it('refuses settings that contradict each other', async () => {
    const { code, output } = await run(['verify'], { S3_REGION: 'r', USAGE_EVENTS_RETENTION_MONTHS: '2' });
    expect([code, output]).toEqual([2, expect.stringContaining('S3_REGION: is set, but S3_BUCKET is not')]);
    expect(output).toContain('USAGE_EVENTS_RETENTION_MONTHS: must be between 3 and 120');
  });

  it('works on one host at a time', async () => {
    const reader = await site.database.pool.connect();
    await reader.query('BEGIN; LOCK TABLE metering.archived_days IN SHARE MODE');
    const first = start(['export']);
    await waitForLock(site.database.pool);
    expect(await run(['export'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('Another process') as string,
    });
    expect(await run(restoreArgs)).toMatchObject({
      code: 2,
      output: expect.stringContaining('Another process') as string,
    });
    await reader.query('COMMIT');
    reader.release();
    expect((await first.ended).code).toBe(0);
    expect(await site.differences()).toEqual([]);
  });

  it('goes on every day', async () => {
    const { child, ended } = start(['export', '--daily']);
    await waitFor(async () =>
      (await site.tables()).every((name) => !name.includes(dayText(MONTH).slice(0, 7).replace('-', '_'))),
    );
    await sleep(100);
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    await ended;
    expect(await site.differences()).toEqual([]);
  });
});

describe('after kill -9', () => {
  beforeEach(async () => {
    site = await ArchiveSite.start([MONTH, daysAfter(MONTH, 3), monthStart(MONTHS)]);
  });

  /** Runs the command again and again, each time for longer, until it ends by itself. */
  async function untilDone(args: string[]): Promise<void> {
    for (let delay = 0; ; delay += DELAY_STEP_MILLIS) {
      const { child, ended } = start(args);
      const killing = setTimeout(() => child.kill('SIGKILL'), delay);
      const { code, output } = await ended;
      clearTimeout(killing);
      expect(await site.differences()).toEqual([]);
      // The server notices within a second that the process is gone, and frees its lock.
      if (code === 0 && !output.includes('Another process')) return;
      if (code !== null && !output.includes('Another process')) throw new Error(output);
    }
  }

  it('at any time, no event is lost and none is doubled', async () => {
    const before = await site.events();
    await untilDone(['export']);
    expect((await site.events()).length).toBeLessThan(before.length);
    expect(await run(['verify'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('Clean: 2 archived days') as string,
    });
    await untilDone(restoreArgs);
    expect(await site.events()).toEqual(before);
    expect((await run(['verify'])).code).toBe(0);
  });

  it.each([
    ['before the day is recorded', 'LOCK TABLE metering.archived_days IN SHARE MODE'],
    ['while it waits for readers of the partition', 'SELECT count(*) FROM metering.usage_events'],
  ])('%s, the next run goes on', async (_when, statement) => {
    const before = await site.events();
    const other = await site.database.pool.connect();
    await other.query('BEGIN');
    await other.query(statement);
    const { child, ended } = start(['export']);
    await waitForLock(site.database.pool);
    child.kill('SIGKILL');
    await ended;
    await other.query('ROLLBACK');
    other.release();
    expect(await site.differences()).toEqual([]);
    await waitFor(async () => {
      const { code, output } = await run(['export']);
      if (code !== 0) throw new Error(output);
      return !output.includes('Another process');
    });
    expect(await site.differences()).toEqual([]);
    expect((await site.events()).length).toBeLessThan(before.length);
    expect((await run(restoreArgs)).code).toBe(0);
    expect(await site.events()).toEqual(before);
  });
});

describeWithSwift('an archive in a bucket', () => {
  let swift: SwiftServer;
  const bucket = 'usage';

  beforeAll(async () => {
    swift = await SwiftServer.start();
  });
  afterAll(() => swift?.stop());

  it('is written, verified and restored', async () => {
    site = await ArchiveSite.start();
    const config = swift.config(bucket);
    const client = new S3Client({ ...config, endpoint: config.endpoint! });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    const storage = {
      ...{ S3_BUCKET: bucket, S3_REGION: config.region, S3_ENDPOINT: config.endpoint!, S3_PREFIX: 'site/' },
      S3_ACCESS_KEY_ID: config.credentials!.accessKeyId,
      S3_SECRET_ACCESS_KEY: config.credentials!.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'true',
    };
    const before = await site.events();
    expect((await run(['export'], storage)).code).toBe(0);
    expect((await site.events()).length).toBeLessThan(before.length / 2);
    expect(await site.differences()).toEqual([]);
    expect((await run(['verify'], storage)).code).toBe(0);
    expect(
      (
        await run(
          [...restoreArgs.slice(0, 1), '--from', '2020-01-01', '--to', dayText(monthStart(0))],
          storage,
        )
      ).code,
    ).toBe(0);
    expect(await site.events()).toEqual(before);
    const Key = `site/${site.keyOf(MONTH, 'accounts-0001.ndjson.gz')}`;
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'other' }));
    client.destroy();
    const verified = await run(['verify'], storage);
    expect(verified).toMatchObject({
      code: 1,
      output: expect.stringContaining(`DIFFERENCE: ${dayText(MONTH)}: accounts-0001`) as string,
    });
    const refused = await run(['export', '--restored'], storage);
    expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('accounts-0001') as string });
    expect(await site.events()).toContainEqual(before.at(-1));
  });
});

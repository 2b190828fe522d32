import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { waitFor } from '@inference/testing';
import { MemoSite } from '../memo.fixture';
import { SHORT_ONLY } from './short-only';

let site: MemoSite;

beforeAll(async () => (site = await MemoSite.start()));
afterAll(() => site?.stop());

interface Reader {
  pid: number;
  isShortOnly: boolean;
}

/** The processes that read documents for the service with that process id, once there are so many. */
const readersOf = (service: number, count: number): Promise<Reader[]> =>
  waitFor(async () => {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args=']);
    const readers = stdout.split('\n').flatMap((line) => {
      const [pid, parent, ...args] = line.trim().split(/\s+/);
      const isReader = Number(parent) === service && args.some((arg) => arg.endsWith('ingestion/main.js'));
      return isReader ? [{ pid: Number(pid), isShortOnly: args.includes(SHORT_ONLY) }] : [];
    });
    return readers.length === count && readers;
  });
const shortOnly = (readers: Reader[]) => readers.filter(({ isShortOnly }) => isShortOnly);

it('keeps the one of two processes for short documents, and another in its place when it ends', async () => {
  const service = site.startService({ INGESTION_WORKERS: '2' });
  const [first, ...more] = shortOnly(await readersOf(service.pid!, 2));
  expect(more).toEqual([]);
  process.kill(first!.pid, 'SIGKILL');
  const readers = await waitFor(async () => {
    const now = await readersOf(service.pid!, 2);
    return now.every(({ pid }) => pid !== first!.pid) && now;
  });
  expect(shortOnly(readers)).toHaveLength(1);
  const ended = once(service, 'exit');
  service.kill();
  await ended;
  for (const { pid } of readers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

it('has a single one read all of them', async () => {
  const service = site.startService({ INGESTION_WORKERS: '1' });
  expect(shortOnly(await readersOf(service.pid!, 1))).toEqual([]);
});

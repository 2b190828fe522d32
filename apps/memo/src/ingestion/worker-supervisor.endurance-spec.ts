import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { waitFor } from '@inference/testing';
import { MemoSite } from '../memo.fixture';
import { SHORT_DOCUMENTS_ONLY } from './worker-supervisor';

let site: MemoSite;

beforeAll(async () => (site = await MemoSite.start()));
afterAll(() => site?.stop());

interface Reader {
  pid: number;
  isShortOnly: boolean;
}

/** The child processes with their commands; `ps` does not exist in every container. */
async function childrenOf(parent: number): Promise<[pid: number, args: string[]][]> {
  if (existsSync('/proc/self/stat'))
    return readdirSync('/proc').flatMap((pid): [number, string[]][] => {
      try {
        const [, , ppid] = /^\d+ \(.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!;
        if (Number(ppid) !== parent) return [];
        return [[Number(pid), readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')]];
      } catch {
        // No such process, or it has ended.
        return [];
      }
    });
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args=']);
  return stdout.split('\n').flatMap((line): [number, string[]][] => {
    const [pid, ppid, ...args] = line.trim().split(/\s+/);
    return Number(ppid) === parent ? [[Number(pid), args]] : [];
  });
}

/** The workers of the service with that process id, once there are so many. */
const readersOf = (service: number, count: number): Promise<Reader[]> =>
  waitFor(async () => {
    const readers = (await childrenOf(service))
      .filter(([, args]) => args.some((arg) => arg.endsWith('ingestion/main.js')))
      .map(([pid, args]) => ({ pid, isShortOnly: args.includes(SHORT_DOCUMENTS_ONLY) }));
    return readers.length === count && readers;
  });
const shortOnly = (readers: Reader[]) => readers.filter(({ isShortOnly }) => isShortOnly);

it('reserves one of two workers for short documents, and restarts a worker that ends', async () => {
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

it('lets a single worker read all documents', async () => {
  const service = site.startService({ INGESTION_WORKERS: '1' });
  expect(shortOnly(await readersOf(service.pid!, 1))).toEqual([]);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openStorage } from '@inference/storage';
import { Archive } from './archive';
import { type EventRow } from './database/events.repository';
import { writeEvents } from './export-events';
import { readText } from './files/read-events';

const DAY = new Date('2026-01-05T00:00:00Z');
const EVENT: EventRow = {
  line: '{}',
  accountId: 'acct_1',
  requestId: 'req_1',
  sums: { rows: 1, inputTokens: 1n, outputTokens: 0n, costPicos: 1n, costUsdPicos: 1n },
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-events-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('leaves the files alone of a run that has taken over after the connection was lost', async () => {
  const storage = openStorage({ folder });
  const archive = new Archive(storage, 'id');
  const key = archive.key(DAY, 'accounts-0001.ndjson.gz');
  async function* eventsUntilTakeover() {
    yield [EVENT];
    await storage.remove(key);
    await storage.write(key, Readable.from([Buffer.from('other')]), 5);
    throw new Error('The connection is lost.');
  }
  await expect(writeEvents(archive, DAY, eventsUntilTakeover(), 10)).rejects.toThrow('connection is lost');
  expect(await readText(storage, key)).toBe('other');
});

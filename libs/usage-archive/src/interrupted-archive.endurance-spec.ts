import { type ObjectStorage } from '@inference/storage';
import { type Client } from 'pg';
import { ArchiveSite, daysAfter, MONTH, MONTHS, monthStart } from './archive-site.fixture';
import { exportEvents } from './export-events';
import { restoreEvents } from './restore-events';

/** More than a run has. */
const MAX_STEPS = 400;
/** Dozens of runs, each followed by all checks of the ledger. */
const TIMEOUT_MILLIS = 240_000;

class Interruption extends Error {}

let site: ArchiveSite;

beforeAll(async () => {
  site = await ArchiveSite.start([MONTH, daysAfter(MONTH, 3), monthStart(MONTHS)]);
});
afterAll(() => site?.stop());

/**
 * Runs the work, whose connection breaks off after the step of this number: a statement, or a call of the storage. Nothing
 * happens between a step and the next one, so this is also before the next one.
 */
async function interruptedAfter(step: number, work: Work): Promise<'done' | 'interrupted'> {
  let steps = 0;
  let isOver = false;
  const stepping =
    <Arguments extends unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      if (isOver) throw new Interruption();
      steps += 1;
      const result = await call(...given);
      isOver ||= steps >= step;
      if (isOver) throw new Interruption();
      return result;
    };
  const failing = new Proxy(site.storage, {
    get: (target, name: keyof ObjectStorage) =>
      stepping((target[name] as () => Promise<unknown>).bind(target)),
  });
  try {
    await site.inSession((client) => {
      client.query = stepping(
        client.query.bind(client) as () => Promise<unknown>,
      ) as unknown as Client['query'];
      return work(client, failing);
    });
    return 'done';
  } catch (error) {
    if (!isOver) throw error;
    return 'interrupted';
  }
}

type Work = (client: Client, storage: ObjectStorage) => Promise<unknown>;

const log = () => undefined;
const WORKS: Record<string, Work> = {
  export: (client, storage) =>
    exportEvents(client, storage, { months: MONTHS, includesRestored: true, fileRows: 3, log }),
  restore: (client, storage) => restoreEvents(client, storage, { from: MONTH, to: monthStart(MONTHS) }, log),
};

it(
  'loses and doubles nothing, whatever step it is interrupted after',
  async () => {
    const all = await site.events();
    const tables = await site.tables();
    for (const name of ['export', 'restore']) {
      let step = 1;
      for (; step < MAX_STEPS; step += 1) {
        const how = await interruptedAfter(step, WORKS[name]!);
        expect([name, step, await site.differences()]).toEqual([name, step, []]);
        if (how === 'done') break;
      }
      expect(step).toBeGreaterThan(20);
      expect(step).toBeLessThan(MAX_STEPS);
      expect(await site.verify()).toEqual({ days: 2, faults: [] });
      const events = await site.events();
      if (name === 'restore') expect(events).toEqual(all);
      else {
        expect(events).toEqual(all.slice(-events.length));
        expect(events.length).toBeLessThan(all.length / 2);
        expect((await site.tables()).length).toBeLessThan(tables.length);
      }
    }
  },
  TIMEOUT_MILLIS,
);

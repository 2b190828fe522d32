import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reconcile } from '@inference/metering';
import { type ObjectStorage, openStorage } from '@inference/storage';
import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { type Client } from 'pg';
import { withArchiveSession } from './database/archive-session.repository';
import { exportEvents } from './export-events';
import { dayText, type Manifest } from './files/manifest';
import { daysAfter, monthStart, PastUsage } from './past-usage.fixture';
import { restoreEvents, verifyArchive } from './restore-events';

export { daysAfter, monthStart } from './past-usage.fixture';

/** How many whole months stay in the database in these tests. */
export const MONTHS = 3;
/** The last archived month and one before. */
export const MONTH = monthStart(MONTHS + 1);
export const EARLIER = monthStart(MONTHS + 2);

const hoursAfter = (at: Date, hours: number) => new Date(at.getTime() + hours * 3_600_000);
/** The last one is the first moment that is not archived. */
const SETTLED = [
  EARLIER,
  hoursAfter(daysAfter(EARLIER, 9), 13),
  hoursAfter(daysAfter(EARLIER, 9), 23.9),
  hoursAfter(MONTH, 0.5),
  hoursAfter(daysAfter(MONTH, 27), 12),
  monthStart(MONTHS),
];

/** The client, whose process dies before the first statement that has the text. */
function dyingBefore(client: Client, statement: string): Client {
  const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<unknown>;
  let isDead = false;
  client.query = ((text: string, values?: unknown[]) => {
    isDead ||= text.includes(statement);
    return isDead ? Promise.reject(new Error('killed')) : query(text, values);
  }) as Client['query'];
  return client;
}

/** A database with usage of three months, of which two can be archived in a folder. */
export class ArchiveSite {
  readonly log: string[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly usage: PastUsage,
    readonly folder: string,
    readonly storage: ObjectStorage,
    private readonly archiveId: string,
  ) {}

  /** @param folder of the storage, possibly that of another site */
  static async start(
    settled = SETTLED,
    folder = mkdtempSync(join(tmpdir(), 'usage-archive-')),
  ): Promise<ArchiveSite> {
    const database = await createTestDatabase();
    // The databases of tests are copies of one, in which the id was made.
    const { rows } = await database.pool.query<{ id: string }>(
      'UPDATE metering.usage_archive SET id = gen_random_uuid() RETURNING id',
    );
    const usage = await PastUsage.create(database.pool);
    for (const at of settled) await usage.settleAt(at);
    await usage.rollUp();
    return new ArchiveSite(database, usage, folder, openStorage({ folder }), rows[0]!.id);
  }

  async stop(): Promise<void> {
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs the work as `npm run usage` does. */
  inSession<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return withArchiveSession(this.database.ownerUrl, true, work);
  }

  /** Exports, and dies before the first statement that has the text. */
  exportUntil(statement: string, includesRestored = false): Promise<void> {
    return this.inSession((client) => this.exportWith(dyingBefore(client, statement), includesRestored));
  }

  /** Restores, and dies before the first statement that has the text. */
  restoreUntil(statement: string, from: Date, to: Date): Promise<void> {
    return this.inSession((client) =>
      restoreEvents(dyingBefore(client, statement), this.storage, { from, to }, this.note),
    );
  }

  /** With small files, so that days have several ones. */
  export(includesRestored = false): Promise<void> {
    return this.inSession((client) => this.exportWith(client, includesRestored));
  }

  restore(from: Date, to: Date): Promise<void> {
    return this.inSession((client) => restoreEvents(client, this.storage, { from, to }, this.note));
  }

  verify(): Promise<{ days: number; faults: string[] }> {
    return this.inSession((client) =>
      verifyArchive(client, this.storage, { from: '-infinity', to: 'infinity' }),
    );
  }

  /** The checks of `npm run reconcile` that find a difference. */
  async differences(): Promise<string[]> {
    return (await reconcile(this.database.pool)).map(({ check }) => check);
  }

  /** All events, each as the exact text of PostgreSQL. */
  async events(): Promise<string[]> {
    const { rows } = await this.database.pool.query<{ event: string }>(
      'SELECT e::text AS event FROM metering.usage_events e ORDER BY occurred_at, request_id',
    );
    return rows.map(({ event }) => event);
  }

  /** The tables of events, partitions and others. */
  async tables(): Promise<string[]> {
    const { rows } = await this.database.pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'metering'::regnamespace AND relkind = 'r' AND relname LIKE 'usage\\_events\\_%' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  keyOf(day: Date, name: string): string {
    return `usage-events/${this.archiveId}/${dayText(day)}/${name}`;
  }

  pathOf(day: Date, name: string): string {
    return join(this.folder, this.keyOf(day, name));
  }

  filesOf(day: Date): string[] {
    return readdirSync(this.pathOf(day, '.')).sort();
  }

  readManifest(day: Date): Manifest {
    return JSON.parse(readFileSync(this.pathOf(day, 'manifest.json'), 'utf8')) as Manifest;
  }

  private async exportWith(client: Client, includesRestored: boolean): Promise<void> {
    const options = { months: MONTHS, includesRestored, fileRows: 3, log: this.note };
    await exportEvents(client, this.storage, options);
  }

  private readonly note = (line: string): void => void this.log.push(line);
}

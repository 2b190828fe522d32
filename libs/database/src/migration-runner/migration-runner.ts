import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PoolClient } from 'pg';
import { DataSource, MigrationExecutor, QueryFailedError, type QueryRunner } from 'typeorm';
import { checkLocks } from '../lock-check/checked-statements';
import { type TableLimits } from '../lock-check/catalogue';
import {
  MIGRATIONS,
  NEWEST_OF_PREVIOUS_VERSION,
  readOldestVersion,
  recordOldestVersion,
} from './migration-list';
import {
  forgetFormerMigration,
  MIGRATIONS_TABLE,
  readRecordedMigrations,
  takeOverFormerMigrations,
  unknownMigration,
} from './former-migrations';
import {
  findOutdatedFunctions,
  forgetFunctions,
  type FunctionFile,
  installFunction,
  readFunctionFiles,
} from './function-files';
import { describeMigration, type Migration, type MigrationClass } from '../migration';

/** SQL files that together create the tables of version 0.1.0, in the order of their names. */
const FOLDER = join(__dirname, '../baseline');

/** The migrations of version 0.1.0, which the baseline replaces, by the names under which databases have recorded them. */
export const BASELINE = [
  'Roles0000000000001',
  'Accounts0000000000002',
  'Pricing0000000000003',
  'Wallet0000000000004',
  'Metering0000000000005',
  'AccountSecurity0000000000006',
  'Guesses0000000000007',
  'Mail0000000000008',
  'Identities0000000000009',
  'Payments0000000000010',
  'Documents0000000000011',
  'Catalogue0000000000012',
  'Agent0000000000013',
  'Training0000000000014',
  'Memo0000000000015',
  'PlainNames0000000000016',
  'BackgroundJobs0000000000017',
  'AgentSessionsByAccount0000000000018',
  'PaymentTimesAndLeaseRecall0000000000019',
  'TrainingPrices0000000000020',
  'WorkspaceUsageKey0000000000021',
  'RefreshTokens0000000000022',
  'TurnsWithoutKey0000000000023',
  'RollupKeyColumn0000000000024',
  'RollupByKey0000000000025',
  'RecountedRollup0000000000026',
  'BrokenOffEvents0000000000027',
  'ChangedKeyLimits0000000000028',
  'PaymentsByTime0000000000029',
  'LowBalanceThresholds0000000000030',
  'CallsOfAnswers0000000000031',
  'AccountSearch0000000000032',
  'ResumableUploads0000000000033',
  'RefundsAndLatePayments0000000000034',
];

/** Creates the tables of the baseline in an empty database, and records its migrations as applied. */
async function createBaseline(runner: QueryRunner, classNames: string[]): Promise<void> {
  for (const file of readdirSync(FOLDER).sort()) await runner.query(readFileSync(join(FOLDER, file), 'utf8'));
  for (const name of classNames)
    await runner.query(`INSERT INTO public.${MIGRATIONS_TABLE} (timestamp, name) VALUES ($1, $2)`, [
      describeMigration(name).number,
      name,
    ]);
}

/** Key of the advisory lock. Arbitrary, but the same on every host and in all versions. */
const ADVISORY_LOCK = 7_266_374;
const ADVISORY_LOCK_POLL_MILLIS = 250;

/** PostgreSQL's codes for a lock timeout and for a deadlock. */
const LOCK_CONFLICTS = ['55P03', '40P01'];

export interface MigrationSettings {
  /** The class names of the migrations that the baseline replaces; none: there is no baseline. */
  baseline: string[];
  /** Those after the baseline. */
  migrations: MigrationClass[];
  /** Installed after the last migration. */
  functions: FunctionFile[];
  /** The newest migration of the previous version, which works on the schema of this one. */
  newestOfPreviousVersion: string;
  /** Receives what the operator has to know. */
  log: (line: string) => void;
  largeTables: TableLimits;
  /** How long a statement waits for a lock. Everyone else who wants to use the table waits behind it. */
  lockTimeoutMillis: number;
  /** How often a migration is tried if it does not get a lock. */
  attempts: number;
  pauseMillis: number;
}

const DEFAULTS: Omit<MigrationSettings, 'functions'> = {
  baseline: BASELINE,
  migrations: MIGRATIONS,
  newestOfPreviousVersion: NEWEST_OF_PREVIOUS_VERSION,
  log: () => undefined,
  // Measured on two cores: such a table is indexed in 0.05 to 0.5 s and rewritten in 0.8 s.
  largeTables: { rows: 100_000, bytes: 128 * 2 ** 20 },
  // Chosen: statements of the services fail after 30 s. At half, ordinary transactions make migrations start again.
  lockTimeoutMillis: 5_000,
  attempts: 10,
  pauseMillis: 5_000,
};

/** Applies and reverts migrations. Only one process at a time has a MigrationRunner of a database. */
export class MigrationRunner {
  private constructor(
    private readonly dataSource: DataSource,
    private readonly runner: QueryRunner,
    /** The connection that holds the advisory lock and runs all migrations. */
    readonly client: PoolClient,
    private readonly settings: MigrationSettings,
  ) {}

  /** Waits until no other process migrates the database, and runs the work. `url` is that of the database's owner. */
  static async use<T>(
    url: string,
    settings: Partial<MigrationSettings>,
    work: (migrations: MigrationRunner) => Promise<T>,
  ): Promise<T> {
    const all = { ...DEFAULTS, functions: readFunctionFiles(), ...settings };
    const dataSource = new DataSource({
      type: 'postgres',
      url,
      applicationName: 'migrate',
      schema: 'public',
      migrations: all.migrations,
      migrationsTableName: MIGRATIONS_TABLE,
      poolSize: 1,
    });
    await dataSource.initialize();
    const runner = dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      await takeAdvisoryLock(client);
      return await work(new MigrationRunner(dataSource, runner, client, all));
    } finally {
      await runner.release();
      // Ends the connection, and with it the lock.
      await dataSource.destroy();
    }
  }

  /**
   * Applies the migrations that the database does not have, at most `limit` of those after the baseline, and returns their names.
   * After the last one it installs the functions whose text has changed.
   */
  async up(limit = Infinity): Promise<string[]> {
    const applied = await this.findApplied();
    await recordOldestVersion(this.runner, this.settings.newestOfPreviousVersion);
    const names: string[] = [];
    const { baseline } = this.settings;
    if (applied.length === 0 && baseline.length > 0) {
      await this.execute('baseline', {}, () => createBaseline(this.runner, baseline));
      names.push('baseline');
    }
    const pending = await this.executor().getPendingMigrations();
    const next = pending.slice(0, limit);
    for (const migration of next) {
      const instance = migration.instance as Migration;
      const { name } = describeMigration(migration.name);
      await this.execute(name, instance, () =>
        checkLocks(this.runner, { name, acceptedLock: instance.acceptedLock, ...this.settings }, () =>
          this.executor().executeMigration(migration),
        ),
      );
      names.push(name);
    }
    if (next.length === pending.length) await this.installFunctions();
    return names;
  }

  private async installFunctions(): Promise<void> {
    for (const file of await findOutdatedFunctions(this.runner, this.settings.functions))
      await this.execute(file.name, {}, () => installFunction(this.runner, file));
  }

  /**
   * Returns the migrations of a newer version that the database has, if this version works on them; otherwise `up` and `down`
   * say what is wrong.
   */
  async findNewer(): Promise<string[]> {
    const known = this.knownNames();
    const recorded = await readRecordedMigrations(this.runner);
    if (known.some((name, index) => name !== recorded[index])) return [];
    const oldest = await readOldestVersion(this.runner);
    const knowsOldest = known.some((name) => describeMigration(name).name === oldest);
    const newer = knowsOldest ? recorded.slice(known.length) : [];
    return newer.map((name) => describeMigration(name).name);
  }

  /** Reverts the newest migration of the database, which has to be the named one. */
  async down(name: string): Promise<void> {
    const newest = (await this.findApplied()).at(-1);
    if (!newest) throw new Error('The database has no migration.');
    const newestName = describeMigration(newest).name;
    if (name !== newestName)
      throw new Error(`Only the newest migration of the database can be reverted: ${newestName}.`);
    const instance = this.dataSource.migrations.find((migration) => migration.constructor.name === newest);
    if (!instance) throw new Error(`${name} cannot be reverted: it is a part of the baseline.`);
    await this.execute(name, instance, async () => {
      await this.executor().undoLastMigration();
      await forgetFormerMigration(this.runner, name);
      await forgetFunctions(this.runner);
    });
  }

  private knownNames(): string[] {
    return [...this.settings.baseline, ...this.settings.migrations.map(({ name }) => name)];
  }

  /** Returns the class names of the applied migrations in their order, including those that earlier versions applied. */
  private async findApplied(): Promise<string[]> {
    const known = this.knownNames();
    return this.inTransaction(async () => {
      await takeOverFormerMigrations(this.runner, known);
      const executed = await this.executor().getExecutedMigrations();
      const applied = executed.map(({ name }) => name).reverse();
      refuseOtherOrder(applied, known);
      refuseOlderThanBaseline(applied, this.settings.baseline);
      return applied;
    });
  }

  /** Runs the work of a migration, again and again while others hold the locks that it needs. */
  private async execute(
    name: string,
    { transaction = true }: Pick<Migration, 'transaction'>,
    work: () => Promise<unknown>,
  ) {
    const { attempts, pauseMillis, lockTimeoutMillis, log } = this.settings;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.client.query(`SET lock_timeout = ${lockTimeoutMillis}`);
        await (transaction ? this.inTransaction(work) : work());
        return;
      } catch (error) {
        if (!isLockConflict(error) || attempt >= attempts)
          throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
        log(`${name} waits for a lock that another transaction holds (attempt ${attempt} of ${attempts}).`);
        await sleep(pauseMillis);
      } finally {
        // Fails on a broken connection, whose error is already on its way.
        await this.client.query('RESET lock_timeout').catch(() => undefined);
      }
    }
  }

  private async inTransaction<T>(work: () => Promise<T>): Promise<T> {
    await this.runner.startTransaction();
    try {
      const result = await work();
      await this.runner.commitTransaction();
      return result;
    } catch (error) {
      await this.runner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  }

  private executor(): MigrationExecutor {
    const executor = new MigrationExecutor(this.dataSource, this.runner);
    executor.transaction = 'none';
    return executor;
  }
}

/**
 * Polls, because a waiting statement would have a snapshot, for whose end CREATE INDEX CONCURRENTLY of the process with the lock
 * waits in turn. The server also looks whether a process that migrates is alive, so that the lock of a killed one is free soon.
 */
async function takeAdvisoryLock(client: PoolClient): Promise<void> {
  await client.query(`SET client_connection_check_interval = '1s'`);
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      ADVISORY_LOCK,
    ]);
    if (rows[0]?.locked) return;
    await sleep(ADVISORY_LOCK_POLL_MILLIS);
  }
}

/** The applied migrations have to be the first of the known ones. */
function refuseOtherOrder(applied: string[], known: string[]): void {
  applied.forEach((className, index) => {
    if (className === known[index]) return;
    const { name } = describeMigration(className);
    if (!known.includes(className)) throw unknownMigration(name);
    const missing = describeMigration(known[index] ?? className).name;
    throw new Error(`The database has the migration ${name}, but not ${missing}, which comes before it.`);
  });
}

/** Throws an error if the database has some migrations of the baseline only. */
function refuseOlderThanBaseline(applied: string[], baseline: string[]): void {
  const newest = applied.at(-1);
  if (newest === undefined || applied.length >= baseline.length) return;
  throw new Error(
    `The newest migration of the database is ${describeMigration(newest).name}: upgrade to version 0.1.0 first.`,
  );
}

function isLockConflict(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code } = error.driverError as { code?: string };
  return code !== undefined && LOCK_CONFLICTS.includes(code);
}

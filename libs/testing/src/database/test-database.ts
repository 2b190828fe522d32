import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  Database,
  type EntityClass,
  type Executor,
  PoolDataSource,
  type PoolOptions,
} from '@inference/database';
import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { PRICE_ENTITIES } from '@inference/metering';
import { WALLET_ENTITIES } from '@inference/wallet';
import { Client, type PoolClient } from 'pg';
import { type EntityTarget, type ObjectLiteral } from 'typeorm';
import { rememberSecret, testRolePassword } from '../secrets/remembered-secrets';
import { waitFor } from '../wait-for';

/** A Database for tests, which can also lend single connections. */
export class TestPool extends Database {
  constructor(private readonly source: PoolDataSource) {
    super(source);
  }

  /** Without entities. */
  static of(options: PoolOptions): TestPool {
    return new TestPool(new PoolDataSource(options));
  }

  static async withEntities(options: PoolOptions, entities: EntityClass[]): Promise<TestPool> {
    return new TestPool(await new PoolDataSource(options, entities).initialize());
  }

  /** Whoever connects begins and ends the transaction, and releases the connection. */
  async connect(): Promise<PoolClient & Executor> {
    // TypeORM locks rows in a transaction only, and does not see a BEGIN of the test.
    const runner = Object.assign(this.source.createQueryRunner(), { isTransactionActive: true });
    const client = (await runner.connect()) as PoolClient;
    return Object.assign(client, {
      repository: <Entity extends ObjectLiteral>(entity: EntityTarget<Entity>) =>
        runner.manager.getRepository(entity),
      release: () => void runner.release(),
    });
  }

  end(): Promise<void> {
    return this.close();
  }
}

/** Resolves when this many connections of the database wait for a lock of another transaction. */
export async function waitForLock(sql: Executor, count = 1): Promise<void> {
  await waitFor(async () => {
    const { rows } = await sql.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length >= count;
  });
}

export type ServiceRole = 'console' | 'gateway' | 'router_cost' | 'training' | 'agent' | 'memo';

export interface TestDatabase {
  /** A pool of the database owner, for test setup and for assertions. */
  pool: TestPool;
  ownerUrl: string;
  /** Returns the connection string of the role of one service. */
  urlFor(role: ServiceRole): string;
  drop(): Promise<void>;
}

const ROOT = join(__dirname, '../../../..');
const SCHEMA = join(ROOT, 'libs/database/src');
const SCHEMA_FOLDERS = ['baseline', 'migrations', 'functions'];
const MIGRATE = join(ROOT, 'dist/libs/database/src/migrate.js');
const TEMPLATE_LOCK = 5_120_041;
const ROLES: ServiceRole[] = ['console', 'gateway', 'router_cost', 'training', 'agent', 'memo'];

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is not set: run the tests through `npm test`.');
  return url;
}

function databaseUrl(database: string, role?: ServiceRole): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  if (role) {
    url.username = role;
    url.password = testRolePassword(role);
  }
  rememberSecret(url.password);
  return url.href;
}

function templateName(): string {
  const hash = createHash('sha256');
  for (const folder of SCHEMA_FOLDERS)
    for (const file of readdirSync(join(SCHEMA, folder), { recursive: true, encoding: 'utf8' }).sort())
      if (extname(file)) hash.update(file).update(readFileSync(join(SCHEMA, folder, file)));
  return `template_${hash.digest('hex').slice(0, 16)}`;
}

/** Runs a build's command that migrates. It sets the passwords of the roles, which all databases of the server share. */
async function migrate(name: string, command: string): Promise<void> {
  const passwords = ROLES.map((role) => [`${role.toUpperCase()}_DATABASE_PASSWORD`, testRolePassword(role)]);
  await promisify(execFile)(process.execPath, [command], {
    env: { ...process.env, DATABASE_URL: databaseUrl(name), ...Object.fromEntries(passwords) },
  });
}

/**
 * Gives the logins of the test server the same passwords with the shortest key derivation. Tests open thousands of connections, and
 * half of the processor time of each went into deriving keys, in the client and in the server.
 */
async function cheapenPasswords(admin: Client): Promise<void> {
  const owner = new URL(serverUrl());
  const passwords = ROLES.map((role) => [role, testRolePassword(role)]);
  await admin.query('SET scram_iterations = 1');
  for (const [login, password] of [[owner.username, decodeURIComponent(owner.password)], ...passwords])
    await admin.query(
      `ALTER ROLE ${admin.escapeIdentifier(login!)} PASSWORD ${admin.escapeLiteral(password!)}`,
    );
}

/** Migrates the template database in the first spec file that needs it; other spec files wait for the lock. */
async function ensureTemplate(admin: Client, template: string): Promise<void> {
  await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const existing = await admin.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [
      template,
    ]);
    if (existing.rowCount) return;
    await admin.query(`DROP DATABASE IF EXISTS ${template}`);
    await admin.query(`CREATE DATABASE ${template}`);
    await migrate(template, MIGRATE);
    await cheapenPasswords(admin);
    await admin.query(`ALTER DATABASE ${template} IS_TEMPLATE true`);
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

async function withAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: serverUrl() });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/**
 * Creates a database for one spec file, cloned from the migrated template.
 * @param entities that its pool knows besides those of the credentials, prices and the wallet
 */
export async function createTestDatabase(entities: EntityClass[] = []): Promise<TestDatabase> {
  const template = templateName();
  const name = newName();
  await withAdmin(async (admin) => {
    await ensureTemplate(admin, template);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  });
  return openDatabase(name, entities);
}

/** Creates a database with the schema of another build of the product. @param command the build's `migrate.js` */
export async function createDatabaseOfBuild(command: string): Promise<TestDatabase> {
  const name = newName();
  await withAdmin(async (admin) => {
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    await migrate(name, command);
    await cheapenPasswords(admin);
  });
  return openDatabase(name, []);
}

const newName = () => `test_${randomBytes(8).toString('hex')}`;

async function openDatabase(name: string, entities: EntityClass[]): Promise<TestDatabase> {
  const ownerUrl = databaseUrl(name);
  const options = { url: ownerUrl, applicationName: 'test', size: 10 };
  const known = [...CREDENTIAL_ENTITIES, ...PRICE_ENTITIES, ...WALLET_ENTITIES, ...entities];
  const pool = await TestPool.withEntities(options, [...new Set<EntityClass>(known)]);
  return {
    pool,
    ownerUrl,
    urlFor: (role) => databaseUrl(name, role),
    drop: async () => {
      await pool.end();
      await withAdmin((admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

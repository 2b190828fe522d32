import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { env, loadConfig } from '@inference/config';
import { type PoolClient } from 'pg';
import { z } from 'zod';
import { grantJobQueues, migrateJobQueues } from './job-queues';
import { MigrationRunner } from './migration-runner/migration-runner';

const ITERATIONS = 4_096;
const KEY_BYTES = 32;

/**
 * Returns the SCRAM-SHA-256 verifier that PostgreSQL stores for a password (RFC 5803). `ALTER ROLE` gets the verifier, so the
 * password never appears in a statement log. The password must be printable ASCII or already normalized by SASLprep.
 */
function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}

interface Login {
  variable: string;
  name: string;
  /** The role whose rights a second login has. */
  role?: string;
}

/** A service has a second login, so that a password is replaced while both are valid. */
const LOGINS = ['console', 'gateway', 'router_cost', 'training', 'agent', 'memo'].flatMap((role): Login[] => {
  const prefix = role.toUpperCase();
  return [
    { variable: `${prefix}_DATABASE_PASSWORD`, name: role },
    { variable: `${prefix}_2_DATABASE_PASSWORD`, name: `${role}_2`, role },
  ];
});

type Config = Record<string, string | undefined> & { DATABASE_URL: string };

const schema = z.object({
  DATABASE_URL: env.url('postgres', 'postgresql'),
  ...Object.fromEntries(LOGINS.map(({ variable }) => [variable, env.secret().optional()])),
});

/**
 * Migrates the database to the newest schema as its owner and sets the given passwords of the services' logins. With
 * `--down <name>` it reverts that migration instead, which has to be the newest one. Several hosts may run it at once: the others
 * wait, and then have nothing to do.
 */
async function migrate(): Promise<void> {
  const { down } = parseArgs({ options: { down: { type: 'string' } } }).values;
  const config: Config = loadConfig(schema);
  await MigrationRunner.use(config.DATABASE_URL, { log: console.log }, async (migrations) => {
    if (down !== undefined) {
      await migrations.down(down);
      console.log(`Reverted ${down}.`);
      return;
    }
    const newer = await migrations.findNewer();
    if (newer.length > 0) {
      await setPasswords(migrations.client, config);
      console.log(
        `Nothing to migrate: a newer version has applied ${newer.join(', ')}. This version works on its schema.`,
      );
      return;
    }
    await migrateJobQueues(config.DATABASE_URL);
    const applied = await migrations.up();
    await grantJobQueues(migrations.client);
    await setPasswords(migrations.client, config);
    console.log(applied.length ? `Applied ${applied.join(', ')}.` : 'Nothing to migrate.');
  });
}

async function setPasswords(client: PoolClient, config: Config): Promise<void> {
  for (const { variable, name, role } of LOGINS) {
    const password = config[variable];
    if (!password) continue;
    if (role) await createSecondLogin(client, name, role);
    await client.query(
      `ALTER ROLE ${client.escapeIdentifier(name)} PASSWORD ${client.escapeLiteral(scramVerifier(password))}`,
    );
  }
}

/** Its sessions are sessions of the role from their first statement on. */
async function createSecondLogin(client: PoolClient, name: string, role: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name]);
  const [login, granted] = [client.escapeIdentifier(name), client.escapeIdentifier(role)];
  if (rowCount === 0) await client.query(`CREATE ROLE ${login} LOGIN`);
  await client.query(`GRANT ${granted} TO ${login}; ALTER ROLE ${login} SET role = ${granted}`);
}

// Only the message: TypeORM's errors also carry the statement and its parameters.
migrate().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});

import { join } from 'node:path';
import { env, loadConfig } from '@inference/config';
import { Client } from 'pg';
import { z } from 'zod';
import { grantJobQueues, migrateJobQueues } from './job-queues';
import { scramVerifier } from './scram-verifier';

/** Key of the advisory lock. Arbitrary, but the same on every host. */
const MIGRATION_LOCK = 7_266_374;

const ROLE_PASSWORDS = {
  CONSOLE_DATABASE_PASSWORD: 'console',
  GATEWAY_DATABASE_PASSWORD: 'gateway',
  ROUTER_COST_DATABASE_PASSWORD: 'router_cost',
  TRAINING_DATABASE_PASSWORD: 'training',
  AGENT_DATABASE_PASSWORD: 'agent',
  MEMO_DATABASE_PASSWORD: 'memo',
} as const;

const schema = z.object({
  DATABASE_URL: env.url('postgres', 'postgresql'),
  ...Object.fromEntries(Object.keys(ROLE_PASSWORDS).map((name) => [name, env.secret().optional()])),
});

/**
 * Migrates the database to the newest schema as its owner and sets the given passwords of the service roles. Several hosts
 * may run it at once: an advisory lock makes the others wait, and they then have nothing to do.
 */
async function migrate(): Promise<void> {
  const config: Record<string, string | undefined> & { DATABASE_URL: string } = loadConfig(schema);
  const client = new Client({ connectionString: config.DATABASE_URL, application_name: 'migrate' });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrateJobQueues(config.DATABASE_URL);
    const { runner } = await import('node-pg-migrate');
    const applied = await runner({
      dbClient: client,
      dir: join(__dirname, 'migrations'),
      migrationsTable: 'migrations',
      direction: 'up',
      noLock: true,
      log: () => undefined,
    });
    await grantJobQueues(client);
    for (const [variable, role] of Object.entries(ROLE_PASSWORDS)) {
      const password = config[variable];
      if (password) {
        await client.query(
          `ALTER ROLE ${client.escapeIdentifier(role)} PASSWORD ${client.escapeLiteral(scramVerifier(password))}`,
        );
      }
    }
    console.log(
      applied.length ? `Applied ${applied.map(({ name }) => name).join(', ')}.` : 'Nothing to migrate.',
    );
  } finally {
    await client.end();
  }
}

migrate().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});

import { parseArgs } from 'node:util';
import { env, loadConfig } from '@inference/config';
import { type PoolClient } from 'pg';
import { z } from 'zod';
import { grantJobQueues, migrateJobQueues } from './migration-runner/job-queues';
import { MigrationRunner } from './migration-runner/migration-runner';
import { scramVerifier } from './migration-runner/scram-verifier';

const ROLE_PASSWORDS = {
  CONSOLE_DATABASE_PASSWORD: 'console',
  GATEWAY_DATABASE_PASSWORD: 'gateway',
  ROUTER_COST_DATABASE_PASSWORD: 'router_cost',
  TRAINING_DATABASE_PASSWORD: 'training',
  AGENT_DATABASE_PASSWORD: 'agent',
  MEMO_DATABASE_PASSWORD: 'memo',
} as const;

type Config = Record<string, string | undefined> & { DATABASE_URL: string };

const schema = z.object({
  DATABASE_URL: env.url('postgres', 'postgresql'),
  ...Object.fromEntries(Object.keys(ROLE_PASSWORDS).map((name) => [name, env.secret().optional()])),
});

/**
 * Migrates the database to the newest schema as its owner and sets the given passwords of the service roles. With
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
    await migrateJobQueues(config.DATABASE_URL);
    const applied = await migrations.up();
    await grantJobQueues(migrations.client);
    await setRolePasswords(migrations.client, config);
    console.log(applied.length ? `Applied ${applied.join(', ')}.` : 'Nothing to migrate.');
  });
}

async function setRolePasswords(client: PoolClient, config: Config): Promise<void> {
  for (const [variable, role] of Object.entries(ROLE_PASSWORDS)) {
    const password = config[variable];
    if (password) {
      await client.query(
        `ALTER ROLE ${client.escapeIdentifier(role)} PASSWORD ${client.escapeLiteral(scramVerifier(password))}`,
      );
    }
  }
}

// Only the message: TypeORM's errors also carry the statement and its parameters.
migrate().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});

import { Logger, runMigrations } from 'graphile-worker';
import { Pool, type PoolClient } from 'pg';

/** The schema of each service's own job queue, by the role that works on it. */
export const JOB_SCHEMAS = {
  agent: 'agent_jobs',
  console: 'console_jobs',
  gateway: 'gateway_jobs',
  memo: 'memo_jobs',
} as const;

const SILENT = new Logger(() => () => undefined);

/** Graphile Worker enables row level security on its tables, so roles other than the owner need policies. */
const GRANT = (schema: string, role: string) => `
  GRANT USAGE ON SCHEMA ${schema} TO ${role};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};
  DO $$
  DECLARE
    guarded regclass;
  BEGIN
    FOR guarded IN
      SELECT c.oid FROM pg_class c
      WHERE c.relnamespace = '${schema}'::regnamespace AND c.relrowsecurity
        AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)
    LOOP
      EXECUTE format('CREATE POLICY worker ON %s TO ${role} USING (true)', guarded);
    END LOOP;
  END $$`;

/**
 * Migrates the tables of every job queue to the schema of the installed library. Comes before the migrations of the
 * product, whose triggers add jobs.
 */
export async function migrateJobQueues(ownerUrl: string): Promise<void> {
  const pgPool = new Pool({ connectionString: ownerUrl, max: 1 });
  try {
    for (const schema of Object.values(JOB_SCHEMAS)) await runMigrations({ pgPool, schema, logger: SILENT });
  } finally {
    await pgPool.end();
  }
}

/** Grants each service access to its own queue. Comes after the migrations, which create the roles. */
export async function grantJobQueues(client: PoolClient): Promise<void> {
  for (const [role, schema] of Object.entries(JOB_SCHEMAS)) await client.query(GRANT(schema, role));
}

import { type Pool } from 'pg';

/** Rejects if the queue of the schema cannot be read. */
export async function checkQueue(pool: Pool, schema: string): Promise<void> {
  await pool.query(`SELECT FROM ${schema}.jobs LIMIT 0`);
}

/** Adds the next run of each of these jobs, `everySeconds` from now, unless one is waiting in the queue. */
export async function addNextRuns(
  pool: Pool,
  schema: string,
  names: string[],
  everySeconds: number[],
): Promise<void> {
  await pool.query(
    `SELECT FROM unnest($1::text[], $2::integer[]) AS next (name, seconds), ${schema}.add_job(
       name, run_at := now() + make_interval(secs => seconds), job_key := name, job_key_mode := 'preserve_run_at')
     WHERE NOT EXISTS (
       SELECT FROM ${schema}.jobs j WHERE j.key = name AND j.locked_at IS NULL AND j.attempts < j.max_attempts)`,
    [names, everySeconds],
  );
}

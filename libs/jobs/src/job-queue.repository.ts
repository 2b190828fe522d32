import { type Executor } from '@inference/database';
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

export interface ReadyJobs {
  task: string;
  jobs: number;
  /** Since the time of the oldest one; 0 without one. */
  seconds: number;
}

/** The jobs that could run and wait for a process, of every task of the queue. Counts the first 10000 by the index of the library. */
export async function readReadyJobs(executor: Executor, schema: string): Promise<ReadyJobs[]> {
  const { rows } = await executor.query<ReadyJobs>(
    `SELECT t.identifier AS task, count(ready.run_at)::integer AS jobs,
       coalesce(extract(epoch FROM now() - min(ready.run_at)), 0)::float8 AS seconds
     FROM ${schema}._private_tasks t LEFT JOIN (
       SELECT task_id, run_at FROM ${schema}._private_jobs WHERE is_available AND run_at <= now()
       ORDER BY priority, run_at LIMIT 10000) ready ON ready.task_id = t.id
     GROUP BY t.identifier`,
  );
  return rows;
}

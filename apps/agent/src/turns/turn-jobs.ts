import { JOB_SCHEMAS, type Sql } from '@inference/database';

export const RUN_TURN = 'run_turn';

const ADD_JOB = `
  SELECT FROM ${JOB_SCHEMAS.agent}.add_job($2, payload := json_build_object('turn_id', $1::text), job_key := $1)`;

/** Has the queue run a turn as soon as the transaction ends; a job for it that nobody has taken yet is replaced. */
export async function addTurnJob(sql: Sql, turnId: string): Promise<void> {
  await sql.query(ADD_JOB, [turnId, RUN_TURN]);
}

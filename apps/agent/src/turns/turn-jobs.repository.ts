import { type Executor, JOB_SCHEMAS } from '@inference/database';

/** Name of the queue's task that runs a turn. */
export const RUN_TURN = 'run_turn';

const ADD_JOB = `
  SELECT FROM ${JOB_SCHEMAS.agent}.add_job($2, payload := json_build_object('turn_id', $1::text), job_key := $1)`;

/** Has the queue run a turn once the transaction commits. Replaces a job for the turn that no replica has taken yet. */
export async function enqueueTurn(executor: Executor, turnId: string): Promise<void> {
  await executor.query(ADD_JOB, [turnId, RUN_TURN]);
}

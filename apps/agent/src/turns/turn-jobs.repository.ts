import { type Executor, JOB_SCHEMAS } from '@inference/database';

/** Name of the queue's task that runs a turn. */
export const RUN_TURN = 'run_turn';

/** What the queue knows of a turn. */
export interface TurnJob {
  turn_id: string;
  /** The trace of the request that queued the turn, if there is one. */
  traceparent?: string;
}

const ADD_JOB = `SELECT FROM ${JOB_SCHEMAS.agent}.add_job($2, payload := $3::json, job_key := $1)`;

/**
 * Has the queue run a turn once the transaction commits. Replaces a job for the turn that no replica has taken yet.
 * @param traceparent the trace that the turn continues
 */
export async function enqueueTurn(executor: Executor, turnId: string, traceparent?: string): Promise<void> {
  const job: TurnJob = { turn_id: turnId, traceparent };
  await executor.query(ADD_JOB, [turnId, RUN_TURN, JSON.stringify(job)]);
}

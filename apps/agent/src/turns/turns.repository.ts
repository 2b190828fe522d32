import { type Executor, JOB_SCHEMAS, newId, type Transaction } from '@inference/database';
import { type Idempotency, type SessionEvent } from '../tables/session-event.entity';
import { EVENT_COLUMNS, type StoredEvent } from '../session-log/session-events.repository';
import { turnStartedEvent } from '../streams/stream-event';
import { Turn, type TurnStatus } from '../tables/turn.entity';

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

export type OpenTurn = Pick<Turn, 'id' | 'sessionId' | 'number' | 'status' | 'callPosition'>;

/** A turn that this replica runs, with everything that its call of the model needs. */
export type ClaimedTurn = OpenTurn &
  Pick<Turn, 'apiKeyId'> &
  Pick<Turn['session'], 'accountId' | 'model' | 'system' | 'tools'>;

/** A turn whose stream a client continues. */
export type StreamedTurn = Pick<Turn, 'id' | 'number' | 'endedAt'> & {
  /** Number of the last stream event that is stored; 0 if there is none. */
  lastPosition: number;
};

/** A message that the caller posts, which begins a turn. */
export type NewMessage = Pick<SessionEvent, 'sessionId' | 'content' | 'toolCalls' | 'tokens'> &
  Pick<Turn, 'apiKeyId'> & {
    /** `assistant` for an answer that the caller brings along. */
    role: 'user' | 'assistant';
    idempotency: Idempotency | null;
  };

/** Most turns that one search for turns to recover returns. */
const RECOVERED_TURNS = 200;
/** A turn that could run but has no job in the queue for so long is enqueued again. */
const LOST_JOB_SECONDS = 10;

const OPEN_TURN_COLUMNS = `id, session_id AS "sessionId", number, status, call_position AS "callPosition"`;
const READ_OPEN = {
  name: 'turns-open',
  text: `
    SELECT ${OPEN_TURN_COLUMNS} FROM agent.turns
    WHERE session_id = $1 AND status IN ('queued', 'running', 'requires_action') ORDER BY number`,
};
const LOCK_SESSION = `
  SELECT FROM agent.sessions WHERE id = (SELECT session_id FROM agent.turns WHERE id = $1) FOR UPDATE`;
/** One statement for everything: each round trip delays the first token of the answer. */
const BEGIN = {
  name: 'turn-begin',
  text: `
    WITH session AS (
      UPDATE agent.sessions SET last_turn = last_turn + 1, last_seq = last_seq + 1 WHERE id = $1
      RETURNING last_turn, last_seq
    ), turn AS (
      INSERT INTO agent.turns (id, session_id, number, api_key_id, status, runner, call_position)
      SELECT $2, $1, last_turn, $3, CASE WHEN $4::text IS NULL THEN 'queued' ELSE 'running' END, $4,
        CASE WHEN $4::text IS NULL THEN 0 ELSE 1 END
      FROM session RETURNING number
    ), started AS (
      INSERT INTO agent.stream_events (turn_id, n, kind, data)
      SELECT $2, 1, 'turn.started', $5 WHERE $4::text IS NOT NULL
    )
    INSERT INTO agent.events AS e
      (id, session_id, seq, turn_id, type, role, content, tool_calls, tokens, idempotency_key, fingerprint, status, after_position)
    SELECT $6, $1, last_seq, $2, 'message', $12, $7, $8, $9, $10, $11,
      CASE WHEN $12 = 'assistant' THEN 'completed' END, 0 FROM session
    RETURNING ${EVENT_COLUMNS}, (SELECT number FROM turn) AS "turnNumber"`,
};
/** Only the first queued turn of the session, and only while no other turn runs or waits for tools. */
const CLAIM = `
  UPDATE agent.turns t SET status = 'running', runner = $2,
    call_position = (SELECT coalesce(max(n), 0) FROM agent.stream_events WHERE turn_id = $1)
  FROM agent.sessions s
  WHERE t.id = $1 AND t.status = 'queued' AND s.id = t.session_id AND NOT EXISTS (
    SELECT FROM agent.turns o WHERE o.session_id = t.session_id
      AND (o.status IN ('running', 'requires_action') OR o.status = 'queued' AND o.number < t.number)
  )
  RETURNING t.id, t.session_id AS "sessionId", t.number, t.status, t.call_position AS "callPosition",
    s.account_id AS "accountId", t.api_key_id AS "apiKeyId", s.model, s.system, s.tools`;
const SET_CALL_POSITION = 'UPDATE agent.turns SET call_position = $2 WHERE id = $1';
const IS_IN_CALL = 'SELECT FROM agent.turns WHERE id = $1 AND runner = $2 AND call_position = $3';
const SET_STATUS = `
  UPDATE agent.turns SET status = $2, runner = NULL, answered = answered OR $3,
    ended_at = CASE WHEN $2 IN ('completed', 'failed', 'cancelled') THEN clock_timestamp() END
  WHERE id = $1`;
const FIND_NEXT_QUEUED = `
  SELECT id FROM agent.turns WHERE session_id = $1 AND status = 'queued' ORDER BY number LIMIT 1`;

const STREAMED_COLUMNS = `t.id, t.number, t.ended_at AS "endedAt",
  (SELECT coalesce(max(n), 0) FROM agent.stream_events e WHERE e.turn_id = t.id) AS "lastPosition"`;
const FIND_STREAMED = `SELECT ${STREAMED_COLUMNS} FROM agent.turns t WHERE id = $1`;
const FIND_CURRENT_STREAMED = `
  SELECT ${STREAMED_COLUMNS} FROM agent.turns t WHERE session_id = $1
  ORDER BY (ended_at IS NULL) DESC, CASE WHEN ended_at IS NULL THEN number ELSE -number END LIMIT 1`;
const FIND_STREAMED_AND_NEXT = `
  SELECT ${STREAMED_COLUMNS} FROM agent.turns t WHERE session_id = $1 AND number IN ($2, $2 + 1) ORDER BY number`;

/** The turn is marked as running, but its replica is dead. */
const IS_ORPHANED = `status = 'running' AND NOT EXISTS (
    SELECT FROM agent.replicas r WHERE r.id = t.runner AND r.expires_at > clock_timestamp()
  )`;
const FIND_ORPHANED = `SELECT id FROM agent.turns t WHERE ${IS_ORPHANED} LIMIT ${RECOVERED_TURNS}`;
const READ_ORPHANED = `SELECT ${OPEN_TURN_COLUMNS} FROM agent.turns t WHERE id = $1 AND ${IS_ORPHANED}`;
const FIND_WITHOUT_JOB = `
  SELECT q.id FROM (
    SELECT DISTINCT ON (session_id) id, session_id, created_at FROM agent.turns
    WHERE status = 'queued' ORDER BY session_id, number
  ) q
  WHERE q.created_at < clock_timestamp() - make_interval(secs => ${LOST_JOB_SECONDS})
    AND NOT EXISTS (
      SELECT FROM agent.turns o
      WHERE o.session_id = q.session_id AND o.status IN ('running', 'requires_action')
    )
    AND NOT EXISTS (SELECT FROM ${JOB_SCHEMAS.agent}.jobs j WHERE j.key = q.id AND j.locked_at IS NULL)
  LIMIT ${RECOVERED_TURNS}`;

/** Returns the turns of a session that are queued, running or waiting for tools, in their order. */
export async function readOpenTurns(executor: Executor, sessionId: string): Promise<OpenTurn[]> {
  return (await executor.query<OpenTurn>({ ...READ_OPEN, values: [sessionId] })).rows;
}

/** Locks the session, whose turns and events change one after another. Returns false if the turn was deleted. */
export async function lockSessionOfTurn(transaction: Transaction, turnId: string): Promise<boolean> {
  return (await transaction.query(LOCK_SESSION, [turnId])).rowCount === 1;
}

/**
 * Stores a message and its turn. The turn is claimed by the replica (see claimTurn), or queued if `replicaId` is null.
 * The transaction has locked the session.
 */
export async function createTurn(
  transaction: Transaction,
  message: NewMessage,
  replicaId: string | null,
): Promise<{ event: StoredEvent; turn: OpenTurn }> {
  const { sessionId, apiKeyId, role, content, toolCalls, tokens, idempotency } = message;
  const id = newId('turn');
  const { rows } = await transaction.query<StoredEvent & { turnNumber: number }>({
    ...BEGIN,
    values: [
      sessionId,
      id,
      apiKeyId,
      replicaId,
      turnStartedEvent(id).data,
      newId('evt'),
      content,
      toolCalls && JSON.stringify(toolCalls),
      tokens,
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
      role,
    ],
  });
  const { turnNumber: number, ...event } = rows[0]!;
  const status = replicaId === null ? 'queued' : 'running';
  return { event, turn: { id, sessionId, number, status, callPosition: replicaId === null ? 0 : 1 } };
}

/** Sets a queued turn running, unless it is not to run now. The transaction has locked the session. */
export async function claimQueuedTurn(
  transaction: Transaction,
  turnId: string,
  replicaId: string,
): Promise<ClaimedTurn | undefined> {
  return (await transaction.query<ClaimedTurn>(CLAIM, [turnId, replicaId])).rows[0];
}

export async function setCallPosition(
  transaction: Transaction,
  turnId: string,
  position: number,
): Promise<void> {
  await transaction.query(SET_CALL_POSITION, [turnId, position]);
}

/**
 * Puts a turn whose tool calls are all answered back into the queue. The API key of the request that continues a turn pays for
 * the continuation; null if the request has none.
 */
export async function continueTurn(
  transaction: Transaction,
  id: string,
  apiKeyId: string | null,
): Promise<void> {
  await transaction.repository(Turn).update({ id }, { status: 'queued', apiKeyId });
}

/** Whether the replica runs the turn, and the turn is still in the same call of the model. */
export async function isInCall(
  transaction: Transaction,
  { id, callPosition }: OpenTurn,
  replicaId: string,
): Promise<boolean> {
  return (await transaction.query(IS_IN_CALL, [id, replicaId, callPosition])).rowCount === 1;
}

/** Pauses or ends a turn. @param isAnswered the model has answered in this call */
export async function setTurnStatus(
  transaction: Transaction,
  turnId: string,
  status: Exclude<TurnStatus, 'queued' | 'running'>,
  isAnswered: boolean,
): Promise<void> {
  await transaction.query(SET_STATUS, [turnId, status, isAnswered]);
}

/** Returns the id of the session's next queued turn, if there is one. */
export async function findNextQueuedTurn(
  transaction: Transaction,
  sessionId: string,
): Promise<string | undefined> {
  return (await transaction.query<{ id: string }>(FIND_NEXT_QUEUED, [sessionId])).rows[0]?.id;
}

export async function findStreamedTurn(
  executor: Executor,
  turnId: string,
): Promise<StreamedTurn | undefined> {
  return (await executor.query<StreamedTurn>(FIND_STREAMED, [turnId])).rows[0];
}

/** Returns the first open turn of a session, otherwise the latest. */
export async function findCurrentStreamedTurn(
  executor: Executor,
  sessionId: string,
): Promise<StreamedTurn | undefined> {
  return (await executor.query<StreamedTurn>(FIND_CURRENT_STREAMED, [sessionId])).rows[0];
}

/** Returns the turn of that number and the following one, as far as they exist. */
export async function findStreamedTurnAndNext(
  executor: Executor,
  sessionId: string,
  number: number,
): Promise<StreamedTurn[]> {
  return (await executor.query<StreamedTurn>(FIND_STREAMED_AND_NEXT, [sessionId, number])).rows;
}

/** Returns ids of turns whose replica is dead. */
export async function findOrphanedTurns(executor: Executor): Promise<string[]> {
  const { rows } = await executor.query<{ id: string }>(FIND_ORPHANED);
  return rows.map(({ id }) => id);
}

/** Returns the turn if its replica is dead. */
export async function findOrphanedTurn(transaction: Transaction, id: string): Promise<OpenTurn | undefined> {
  return (await transaction.query<OpenTurn>(READ_ORPHANED, [id])).rows[0];
}

/** Returns the ids of the turns that the replica runs. */
export async function findTurnsOfReplica(executor: Executor, runner: string): Promise<string[]> {
  const turns = await executor
    .repository(Turn)
    .find({ select: { id: true }, where: { runner, status: 'running' } });
  return turns.map(({ id }) => id);
}

/** Returns the turn if the replica runs it. */
export function findTurnOfReplica(
  transaction: Transaction,
  id: string,
  runner: string,
): Promise<OpenTurn | null> {
  return transaction.repository(Turn).findOneBy({ id, runner });
}

/** Returns ids of turns that could run, but whose job was lost. */
export async function findTurnsWithoutJob(executor: Executor): Promise<string[]> {
  const { rows } = await executor.query<{ id: string }>(FIND_WITHOUT_JOB);
  return rows.map(({ id }) => id);
}

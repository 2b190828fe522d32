import { type Executor, type Transaction } from '@inference/database';
import { In, IsNull } from 'typeorm';
import { type SessionScope } from '../session-scope';
import { type Turn } from '../tables/turn.entity';
import { type Idempotency, SessionEvent } from '../tables/session-event.entity';

/** An event as its readers need it. */
export type StoredEvent = Omit<
  SessionEvent,
  'sessionId' | 'turn' | 'tokens' | 'idempotencyKey' | 'fingerprint'
>;

export type NewSessionEvent = Omit<
  SessionEvent,
  'seq' | 'turn' | 'afterPosition' | 'idempotencyKey' | 'fingerprint' | 'createdAt'
> & { idempotency: Idempotency | null };

/** An event with what the prompt of its session needs. */
export type PromptEvent = Pick<
  SessionEvent,
  'seq' | 'type' | 'role' | 'content' | 'toolCalls' | 'toolCallResults' | 'tokens'
> & {
  turnNumber: Turn['number'];
  /** True for the last page. */
  isLast: boolean;
};

type WithTurnStatus = { turnStatus: Turn['status'] };

/** The columns of StoredEvent. */
export const EVENT_COLUMNS = `e.id, e.seq, e.turn_id AS "turnId", e.type, e.role, e.content, e.tool_calls AS "toolCalls",
  e.tool_call_results AS "toolCallResults", e.status, e.finish_reason AS "finishReason", e.usage, e.error, e.request_id AS "requestId",
  e.after_position AS "afterPosition", e.created_at AS "createdAt"`;

/** Limits the size of a page of events, whose first event is always included. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const PROMPT_PAGE_EVENTS = 200;

const INSERT = `
  WITH session AS (UPDATE agent.sessions SET last_seq = last_seq + 1 WHERE id = $2 RETURNING last_seq)
  INSERT INTO agent.events AS e (id, session_id, seq, turn_id, type, role, content, tool_calls, tool_call_results, status,
    finish_reason, usage, error, request_id, tokens, idempotency_key, fingerprint, after_position)
  SELECT $1, $2, last_seq, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
    (SELECT coalesce(max(n), 0) FROM agent.stream_events WHERE turn_id = $3)
  FROM session
  RETURNING ${EVENT_COLUMNS}`;
const FIND_REPLAYED = `
  SELECT ${EVENT_COLUMNS}, e.fingerprint = $3 AS "isSameRequest", t.number AS "turnNumber", t.status AS "turnStatus"
  FROM agent.events e JOIN agent.turns t ON t.id = e.turn_id WHERE e.session_id = $1 AND e.idempotency_key = $2`;
const LIST = `
  SELECT ${EVENT_COLUMNS}, t.status AS "turnStatus" FROM (
    SELECT *, sum(octet_length(content) + coalesce(octet_length(tool_calls::text), 0)
        + coalesce(octet_length(tool_call_results::text), 0)) OVER (ORDER BY seq) AS bytes,
      row_number() OVER (ORDER BY seq) AS position
    FROM (SELECT * FROM agent.events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) page
  ) e JOIN agent.turns t ON t.id = e.turn_id
  WHERE e.bytes <= ${MAX_PAGE_BYTES} OR e.position = 1 ORDER BY e.seq`;
/**
 * Newest events first: those that fit into the budget ($5) and the first one that does not. Earlier turns that failed before the
 * model sent anything are left out.
 */
const READ_PROMPT = {
  name: 'prompt-read',
  text: `
    SELECT number AS "turnNumber", e.seq, e.type, e.role, e.content, e.tool_calls AS "toolCalls",
      e.tool_call_results AS "toolCallResults", e.tokens, is_last AS "isLast"
    FROM (
      SELECT *, sum(tokens) OVER newest_first - tokens AS taken, count(*) OVER () < ${PROMPT_PAGE_EVENTS} AS is_last
      FROM (
        SELECT t.number, e.id, e.seq, e.tokens FROM agent.turns t JOIN agent.events e ON e.turn_id = t.id
        WHERE t.session_id = $1 AND t.number <= $2 AND (t.number = $2 OR t.answered OR t.status = 'cancelled')
          AND (t.number, e.seq) < ($3, $4) AND e.type IN ('message', 'tool_calls', 'tool_result')
        ORDER BY t.number DESC, e.seq DESC LIMIT ${PROMPT_PAGE_EVENTS}
      ) page WINDOW newest_first AS (ORDER BY number DESC, seq DESC)
    ) fitting JOIN agent.events e USING (id)
    WHERE taken <= $5 ORDER BY number DESC, e.seq DESC`,
};

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** Appends an event to a session that the transaction has locked. */
export async function insertEvent(transaction: Transaction, event: NewSessionEvent): Promise<StoredEvent> {
  const { rows } = await transaction.query<StoredEvent>(INSERT, [
    event.id,
    event.sessionId,
    event.turnId,
    event.type,
    event.role,
    event.content,
    json(event.toolCalls),
    json(event.toolCallResults),
    event.status,
    event.finishReason,
    json(event.usage),
    json(event.error),
    event.requestId,
    event.tokens,
    event.idempotency?.key ?? null,
    event.idempotency?.fingerprint ?? null,
  ]);
  return rows[0]!;
}

/** Finds the event that was posted under the idempotency key, and whether it was the same request. */
export async function findReplayedEvent(
  transaction: Transaction,
  sessionId: string,
  { key, fingerprint }: Idempotency,
) {
  const { rows } = await transaction.query<
    StoredEvent & WithTurnStatus & { isSameRequest: boolean; turnNumber: Turn['number'] }
  >(FIND_REPLAYED, [sessionId, key, fingerprint]);
  return rows[0];
}

/** Returns a page of the events of a session, oldest first: fewer than `limit` if they are large. */
export async function listEvents(executor: Executor, sessionId: string, after: number, limit: number) {
  return (await executor.query<StoredEvent & WithTurnStatus>(LIST, [sessionId, after, limit])).rows;
}

/** Finds an event of a session in the scope, with its turn. */
export function findEvent(
  executor: Executor,
  event: SessionScope & { id: string; publicId: string },
): Promise<SessionEvent | null> {
  return executor
    .repository(SessionEvent)
    .createQueryBuilder('event')
    .innerJoinAndSelect('event.turn', 'turn')
    .innerJoin('turn.session', 'session')
    .where('event.id = :id AND session.publicId = :publicId AND session.accountId = :accountId', event)
    .andWhere('(CAST(:madeByKeyId AS text) IS NULL OR session.apiKeyId = :madeByKeyId)', event)
    .getOne();
}

/**
 * Returns the newest events of a conversation, newest first: those that fit into the budget of tokens and the first one that does
 * not, one page at most.
 * @param before the page starts after this turn and `seq`
 */
export async function readPromptEvents(
  executor: Executor,
  turn: Pick<Turn, 'sessionId' | 'number'>,
  before: [turnNumber: number, seq: bigint],
  budget: number,
): Promise<PromptEvent[]> {
  const values = [turn.sessionId, turn.number, ...before, budget];
  return (await executor.query<PromptEvent>({ ...READ_PROMPT, values })).rows;
}

/** Names the call of the model that was broken off because its turn had ended. */
export async function nameBrokenOffCall(
  executor: Executor,
  turnId: string,
  requestId: string,
): Promise<void> {
  await executor
    .repository(SessionEvent)
    .update({ turnId, type: In(['turn.failed', 'turn.cancelled']), requestId: IsNull() }, { requestId });
}

/** Lets the caller send the same request again under the idempotency key of this event. */
export async function releaseIdempotencyKey(transaction: Transaction, eventId: string): Promise<void> {
  await transaction
    .repository(SessionEvent)
    .update({ id: eventId }, { idempotencyKey: null, fingerprint: null });
}

import { createHash } from 'node:crypto';
import { BadRequestException, ConflictException } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { type Sql } from '@inference/database';
import { DetailedException, TooManyRequestsException } from '@inference/http';
import { EVENT_COLUMNS, type EventRow, type Idempotency } from '../session-log/session-event';
import { appendToolResults } from '../session-log/session-log';
import { type LockedSession, lockOrCreateSession } from '../sessions/session-lock';
import { notifyReplicas, TURN_CHANGED } from '../streams/turn-notifications';
import { findCalls, readPendingCalls, type StoredCall } from '../tool-calls/tool-calls';
import { readOpenTurns, type TurnStatus } from '../turns/turn';
import { type ClaimedTurn, claimTurn, continueTurn } from '../turns/turn-claim';
import { createTurn } from '../turns/turn-creation';
import { enqueueTurn } from '../turns/turn-job';
import { appendRequiresAction, cancelTurns, completeWithoutCall } from '../turns/turn-outcome';
import { type EventBody } from './event-body';
import { type PostEventQuery } from './event.dto';

/** An event that a caller posts. */
export interface PostedEvent {
  caller: Caller & { apiKey: { id: string } };
  /** The id of the session that the caller uses. */
  publicId: string;
  body: EventBody;
  onBusy: PostEventQuery['on_busy'];
  idempotencyKey: string | null;
  /** Size of the event in a model's context. */
  tokens: number;
  /** The replica that runs the turn itself if it can run at once; null leaves it to the queue. */
  replicaId: string | null;
  /** The caller reads the stream of the turn. */
  streams: boolean;
}

export interface AcceptedEvent {
  event: EventRow;
  turn: { id: string; number: number; status: TurnStatus };
  /** Number of the last stream event of the turn before the event: the stream of the answer begins after it. */
  afterPosition: number;
  /** The same request was accepted before. */
  replayed: boolean;
  /** Set if the replica is to run the turn now. */
  claimed?: ClaimedTurn;
}

type BodyOf<Role extends EventBody['role']> = Extract<EventBody, { role: Role }>;

/** Most open turns of a session. */
const MAX_OPEN_TURNS = 100;
const tooManyTurns = () =>
  new TooManyRequestsException(`no more than ${MAX_OPEN_TURNS} turns of a session can wait`, 1);

const FIND_REPLAYED = `
  SELECT ${EVENT_COLUMNS}, e.after_position AS "afterPosition", e.fingerprint = $3 AS same, t.number, t.status AS "turnStatus"
  FROM agent.events e JOIN agent.turns t ON t.id = e.turn_id WHERE e.session_id = $1 AND e.idempotency_key = $2`;

/**
 * Checks an event against the state of its session, stores it, and starts or queues its turn. Runs inside a transaction.
 * Throws 400 for results of unknown calls, and 409 if the session is busy, a call is
 * already answered, or the idempotency key was used for another request.
 */
export async function acceptEvent(sql: Sql, posting: PostedEvent): Promise<AcceptedEvent> {
  const { idempotencyKey, body } = posting;
  const session = await lockOrCreateSession(sql, posting.publicId, posting.caller.accountId);
  const idempotency =
    idempotencyKey === null ? null : { key: idempotencyKey, fingerprint: fingerprintOf(posting) };
  const earlier = idempotency && (await findReplayed(sql, session.sessionId, idempotency));
  if (earlier) return earlier;
  return body.role === 'tool'
    ? acceptToolResults(sql, posting, session, body, idempotency)
    : acceptMessage(sql, posting, session, body, idempotency);
}

function fingerprintOf({ body, onBusy }: PostedEvent): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([body, onBusy ?? null]))
    .digest();
}

async function findReplayed(
  sql: Sql,
  sessionId: string,
  { key, fingerprint }: Idempotency,
): Promise<AcceptedEvent | null> {
  const { rows } = await sql.query<
    EventRow & { afterPosition: number; same: boolean; number: number; turnStatus: TurnStatus }
  >(FIND_REPLAYED, [sessionId, key, fingerprint]);
  const row = rows[0];
  if (!row) return null;
  if (!row.same) throw new ConflictException('the idempotency key was used for a different request');
  const { afterPosition, number, turnStatus, ...event } = row;
  return { event, turn: { id: row.turn_id, number, status: turnStatus }, afterPosition, replayed: true };
}

async function acceptMessage(
  sql: Sql,
  posting: PostedEvent,
  session: LockedSession,
  { role, content, tool_calls: toolCalls }: BodyOf<'user' | 'assistant'>,
  idempotency: Idempotency | null,
): Promise<AcceptedEvent> {
  const { caller, onBusy, replicaId, tokens } = posting;
  const { sessionId } = session;
  const open = await readOpenTurns(sql, sessionId);
  if (open[0] && !onBusy) {
    throw new DetailedException(409, 'the session is busy with another turn', { turn_id: open[0].id });
  }
  if (onBusy === 'interrupt') await cancelTurns(sql, open, 'A newer message took the place of this turn.');
  else if (open.length >= MAX_OPEN_TURNS) throw tooManyTurns();
  const isFree = open.length === 0 || onBusy === 'interrupt';
  const apiKeyId = caller.apiKey.id;
  const message = { sessionId, apiKeyId, role, content, toolCalls, tokens, idempotency };
  const { event, turn } = await createTurn(sql, message, isFree && role === 'user' ? replicaId : null);
  const accepted = { event, turn, afterPosition: 0, replayed: false };
  if (role === 'assistant') {
    await completeWithoutCall(sql, turn.id);
    return { ...accepted, turn: { ...turn, status: 'completed' } };
  }
  if (turn.status === 'running')
    return { ...accepted, claimed: { ...turn, ...session, accountId: caller.accountId, apiKeyId } };
  if (isFree) await enqueueTurn(sql, turn.id);
  return accepted;
}

async function acceptToolResults(
  sql: Sql,
  posting: PostedEvent,
  { sessionId }: LockedSession,
  { content, tool_calls: toolCalls, tool_call_results: results }: BodyOf<'tool'>,
  idempotency: Idempotency | null,
): Promise<AcceptedEvent> {
  const { caller, onBusy, replicaId, streams, tokens } = posting;
  if (onBusy) throw new BadRequestException('on_busy: is not allowed for results of tools');
  const callIds = results.map((result) => result.tool_call_id);
  const { turnId, turnNumber: number } = await requirePendingCalls(sql, sessionId, callIds);
  const event = await appendToolResults(sql, {
    sessionId,
    turnId,
    type: 'tool_result',
    role: 'tool',
    content: content ?? '',
    toolCallResults: results,
    idempotency,
    tokens,
    ...(toolCalls && { toolCalls }),
  });
  const accepted = { event, afterPosition: event.after_position, replayed: false };
  const pending = await readPendingCalls(sql, turnId);
  if (pending.length > 0) {
    if (streams) {
      await appendRequiresAction(sql, turnId, pending);
      await notifyReplicas(sql, TURN_CHANGED, turnId);
    }
    return { ...accepted, turn: { id: turnId, number, status: 'requires_action' } };
  }
  await continueTurn(sql, turnId, caller.apiKey.id);
  const turn = { id: turnId, number };
  const claimed = replicaId === null ? null : await claimTurn(sql, turnId, replicaId);
  if (claimed) return { ...accepted, turn: { ...turn, status: 'running' }, claimed };
  await enqueueTurn(sql, turnId);
  return { ...accepted, turn: { ...turn, status: 'queued' } };
}

/** Returns one of the calls. They all belong to one turn: only the turn that waits for tools has calls without a result. */
async function requirePendingCalls(sql: Sql, sessionId: string, callIds: string[]): Promise<StoredCall> {
  const calls = await findCalls(sql, sessionId, callIds);
  const unknown = callIds.filter((id) => !calls.some((call) => call.id === id));
  if (unknown.length > 0)
    throw new BadRequestException(
      `tool_call_results: the model made no call ${unknown.join(', ')} in this session`,
    );
  const answered = calls.filter((call) => call.answered).map(({ id }) => id);
  if (answered.length > 0)
    throw new ConflictException(
      `tool_call_results: the call ${answered.join(', ')} already has a result, or its turn has ended`,
    );
  return calls[0]!;
}

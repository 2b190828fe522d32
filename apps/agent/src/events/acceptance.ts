import { createHash } from 'node:crypto';
import { BadRequestException, ConflictException } from '@nestjs/common';
import { type Caller } from '@inference/credentials';
import { type Sql } from '@inference/database';
import { DetailedException, RetryLaterException } from '@inference/http';
import { noSuchSession } from '../sessions/sessions.service';
import { type ToolDefinition } from '../sessions/tool-shapes';
import { beginTurn } from '../turns/beginning';
import { type ClaimedTurn, claimTurn } from '../turns/claims';
import { addTurnJob } from '../turns/turn-jobs';
import {
  answerCalls,
  appendRequiresAction,
  cancelTurns,
  notifyChanged,
  readOpenTurns,
  readUnansweredCalls,
} from '../turns/turn-log';
import { EVENT_COLUMNS, type EventRow, type TurnStatus } from './event';
import { type EventBody, type PostQuery } from './event.dto';

/** An event that a caller posts. */
export interface Posting {
  caller: Caller & { apiKey: { id: string } };
  sessionId: string;
  body: EventBody;
  onBusy: PostQuery['on_busy'];
  idempotencyKey: string | null;
  /** What the event takes of a model's context. */
  tokens: number;
  /** This process runs the turn itself, when it can run at once; otherwise the queue does. */
  runHere: string | null;
}

export interface Accepted {
  event: EventRow;
  turn: { id: string; number: number; status: TurnStatus };
  /** The last frame of the turn before the event: a stream of the answer goes on from there. */
  afterFrame: number;
  /** The event was there already: the same request came before. */
  replayed: boolean;
  /** Set when this process is to run the turn now. */
  claimed?: ClaimedTurn;
}

interface LockedSession {
  model: string | null;
  system: string | null;
  tools: ToolDefinition[];
}

const LOCK_SESSION = {
  name: 'session-lock',
  text: 'SELECT model, system, tools FROM agent.sessions WHERE id = $1 AND account_id = $2 FOR UPDATE',
};
const MAKE_SESSION = {
  name: 'session-make',
  text: `
    INSERT INTO agent.sessions (id, account_id) VALUES ($1, $2)
    ON CONFLICT DO NOTHING RETURNING model, system, tools`,
};
/** Of a session; who means more means a session more. */
const MAX_OPEN_TURNS = 100;
const tooManyTurns = () =>
  new RetryLaterException(`no more than ${MAX_OPEN_TURNS} turns of a session can wait`, 1);

const FIND_REPLAYED = `
  SELECT ${EVENT_COLUMNS}, e.after_frame AS "afterFrame", e.fingerprint = $3 AS same, t.number, t.status AS "turnStatus"
  FROM agent.events e JOIN agent.turns t ON t.id = e.turn_id WHERE e.session_id = $1 AND e.idempotency_key = $2`;
const FIND_CALLS = `
  SELECT c.id, c.turn_id AS "turnId", c.answered_by IS NOT NULL AS answered, t.number
  FROM agent.tool_calls c JOIN agent.turns t ON t.id = c.turn_id WHERE c.session_id = $1 AND c.id = ANY ($2)`;
/** The key that brought the results pays for what they lead to. */
const GO_ON = `
  UPDATE agent.turns SET status = 'queued', api_key_id = $2 WHERE id = $1`;

/**
 * Takes an event in: checks it against the state of its session, keeps it, and has its turn run. Inside a transaction.
 * Throws 404 for another account's session, 400 for calls that never were, 409 when the session is busy, a call is
 * answered already, or the idempotency key stands for another request.
 */
export async function acceptEvent(sql: Sql, posting: Posting): Promise<Accepted> {
  const session = await lockOrMakeSession(sql, posting);
  const fingerprint = fingerprintOf(posting);
  const earlier = await findReplayed(sql, posting, fingerprint);
  if (earlier) return earlier;
  const { idempotencyKey } = posting;
  const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, fingerprint };
  return posting.body.role === 'user'
    ? acceptMessage(sql, posting, session, posting.body, idempotency)
    : acceptResults(sql, posting, posting.body, idempotency);
}

type Idempotency = { key: string; fingerprint: Buffer } | null;
type BodyOf<Role extends EventBody['role']> = Extract<EventBody, { role: Role }>;

/** An id that nobody has is the caller's from now on. */
async function lockOrMakeSession(sql: Sql, { sessionId, caller }: Posting): Promise<LockedSession> {
  const values = [sessionId, caller.accountId];
  for (const statement of [LOCK_SESSION, MAKE_SESSION, LOCK_SESSION]) {
    const { rows } = await sql.query<LockedSession>({ ...statement, values });
    if (rows[0]) return rows[0];
  }
  throw noSuchSession();
}

function fingerprintOf({ body, onBusy }: Posting): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([body, onBusy ?? null]))
    .digest();
}

async function findReplayed(sql: Sql, posting: Posting, fingerprint: Buffer): Promise<Accepted | null> {
  const { sessionId, idempotencyKey } = posting;
  if (idempotencyKey === null) return null;
  const { rows } = await sql.query<
    EventRow & { afterFrame: number; same: boolean; number: number; turnStatus: TurnStatus }
  >(FIND_REPLAYED, [sessionId, idempotencyKey, fingerprint]);
  const row = rows[0];
  if (!row) return null;
  if (!row.same) throw new ConflictException('the idempotency key was used for a different request');
  const { afterFrame, number, turnStatus, ...event } = row;
  return { event, turn: { id: row.turn_id, number, status: turnStatus }, afterFrame, replayed: true };
}

async function acceptMessage(
  sql: Sql,
  posting: Posting,
  session: LockedSession,
  { content, tool_calls: toolCalls }: BodyOf<'user'>,
  idempotency: Idempotency,
): Promise<Accepted> {
  const { sessionId, caller, onBusy, runHere, tokens } = posting;
  const open = await readOpenTurns(sql, sessionId);
  if (open[0] && !onBusy) {
    throw new DetailedException(409, 'the session is busy with another turn', { turn_id: open[0].id });
  }
  if (onBusy === 'interrupt') await cancelTurns(sql, open, 'A newer message took the place of this turn.');
  else if (open.length >= MAX_OPEN_TURNS) throw tooManyTurns();
  const isFree = open.length === 0 || onBusy === 'interrupt';
  const apiKeyId = caller.apiKey.id;
  const message = { sessionId, apiKeyId, content, toolCalls, tokens, idempotency };
  const { event, turn } = await beginTurn(sql, message, isFree ? runHere : null);
  const accepted = { event, turn, afterFrame: 0, replayed: false };
  if (turn.status === 'running')
    return { ...accepted, claimed: { ...turn, ...session, accountId: caller.accountId, apiKeyId } };
  if (isFree) await addTurnJob(sql, turn.id);
  return accepted;
}

async function acceptResults(
  sql: Sql,
  posting: Posting,
  { content, tool_calls: toolCalls, tool_call_results: results }: BodyOf<'tool'>,
  idempotency: Idempotency,
): Promise<Accepted> {
  const { sessionId, caller, onBusy } = posting;
  if (onBusy) throw new BadRequestException('on_busy: is for messages, not for results of tools');
  const calls = await findCalls(
    sql,
    sessionId,
    results.map((result) => result.tool_call_id),
  );
  const { turnId, number } = calls[0]!;
  const event = await answerCalls(sql, {
    sessionId,
    turnId,
    type: 'tool_result',
    role: 'tool',
    content: content ?? '',
    toolCallResults: results,
    idempotency,
    tokens: posting.tokens,
    ...(toolCalls && { toolCalls }),
  });
  const afterFrame = event.after_frame;
  const accepted = { event, afterFrame, replayed: false };
  const unanswered = await readUnansweredCalls(sql, turnId);
  if (unanswered.length > 0) {
    if (posting.runHere !== null) {
      await appendRequiresAction(sql, turnId, unanswered);
      await notifyChanged(sql, turnId);
    }
    return { ...accepted, turn: { id: turnId, number, status: 'requires_action' } };
  }
  await sql.query(GO_ON, [turnId, caller.apiKey.id]);
  const turn = { id: turnId, number };
  const claimed = posting.runHere === null ? null : await claimTurn(sql, turnId, posting.runHere);
  if (claimed) return { ...accepted, turn: { ...turn, status: 'running' }, claimed };
  await addTurnJob(sql, turnId);
  return { ...accepted, turn: { ...turn, status: 'queued' } };
}

/** The calls that the results are for, all of one turn: only a turn that waits has calls without an answer. */
async function findCalls(sql: Sql, sessionId: string, ids: string[]) {
  const { rows } = await sql.query<{ id: string; turnId: string; answered: boolean; number: number }>(
    FIND_CALLS,
    [sessionId, ids],
  );
  const unknown = ids.filter((id) => !rows.some((call) => call.id === id));
  if (unknown.length > 0)
    throw new BadRequestException(
      `tool_call_results: the model made no call ${unknown.join(', ')} in this session`,
    );
  const answered = rows.filter((call) => call.answered).map(({ id }) => id);
  if (answered.length > 0)
    throw new ConflictException(
      `the call ${answered.join(', ')} of a tool is answered already, or was given up`,
    );
  return rows;
}

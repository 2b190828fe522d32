import { createHash } from 'node:crypto';
import { type Transaction } from '@inference/database';
import { type Caller } from '@inference/guards';
import { DetailedException, TooManyRequestsException } from '@inference/http';
import { activeTraceparent } from '@inference/tracing';
import { BadRequestException, ConflictException } from '@nestjs/common';
import { type Idempotency, type StoredToolCall } from '../tables/session-event.entity';
import { findReplayedEvent, type StoredEvent } from '../session-log/session-events.repository';
import { appendToolResults } from '../session-log/session-log';
import { lockOrCreateSession } from '../sessions/session-lock';
import { keyIdOf } from '../session-scope';
import { type LockedOrInsertedSession, type LockedSession } from '../sessions/sessions.repository';
import { notifyReplicas, TURN_CHANGED } from '../streams/stream-events.repository';
import { findCalls, readPendingCalls } from '../tool-calls/tool-calls.repository';
import {
  type ToolCall,
  type ToolCallDto,
  type ToolCallResult,
  type ToolCallResultDto,
} from '../tables/tool.dto';
import { claimTurn } from '../turns/turn-queue';
import { appendRequiresAction, cancelTurns, completeWithoutCall } from '../turns/turn-outcome';
import { type Turn } from '../tables/turn.entity';
import {
  type ClaimedTurn,
  continueTurn,
  createTurn,
  enqueueTurn,
  readOpenTurns,
} from '../turns/turns.repository';
import { type PostEventDto, type PostEventQuery } from './event.dto';

/** An event that a caller posts. */
export interface PostedEvent {
  caller: Caller;
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
  event: StoredEvent;
  turn: Pick<Turn, 'id' | 'number' | 'status'>;
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

/**
 * Checks an event against the state of its session, stores it, and starts or queues its turn. Runs inside a transaction.
 * Throws 400 for results of unknown calls, and 409 if the session is busy, a call is
 * already answered, or the idempotency key was used for another request.
 */
export async function acceptEvent(transaction: Transaction, posting: PostedEvent): Promise<AcceptedEvent> {
  const { idempotencyKey, body } = posting;
  const session = await lockOrCreateSession(transaction, posting.publicId, posting.caller);
  const idempotency =
    idempotencyKey === null ? null : { key: idempotencyKey, fingerprint: fingerprintOf(posting) };
  const earlier = idempotency && (await findReplayed(transaction, session.id, idempotency));
  if (earlier) return earlier;
  return body.role === 'tool'
    ? acceptToolResults(transaction, posting, session, body, idempotency)
    : acceptMessage(transaction, posting, session, body, idempotency);
}

function fingerprintOf({ body, onBusy }: PostedEvent): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([body, onBusy ?? null]))
    .digest();
}

async function findReplayed(
  transaction: Transaction,
  sessionId: string,
  idempotency: Idempotency,
): Promise<AcceptedEvent | null> {
  const event = await findReplayedEvent(transaction, sessionId, idempotency);
  if (!event) return null;
  if (!event.isSameRequest)
    throw new ConflictException('the idempotency key was used for a different request');
  const turn = { id: event.turnId, number: event.turnNumber, status: event.turnStatus };
  return { event, turn, replayed: true };
}

async function acceptMessage(
  transaction: Transaction,
  posting: PostedEvent,
  session: LockedOrInsertedSession,
  { role, content, tool_calls: toolCalls }: BodyOf<'user' | 'assistant'>,
  idempotency: Idempotency | null,
): Promise<AcceptedEvent> {
  const { caller, onBusy, replicaId, tokens } = posting;
  const { id: sessionId, model, system, tools } = session;
  const open = session.isNew ? [] : await readOpenTurns(transaction, sessionId);
  if (open[0] && !onBusy) {
    throw new DetailedException(409, 'the session is busy with another turn', { turn_id: open[0].id });
  }
  if (onBusy === 'interrupt')
    await cancelTurns(transaction, open, 'A newer message took the place of this turn.');
  else if (open.length >= MAX_OPEN_TURNS) throw tooManyTurns();
  const isFree = open.length === 0 || onBusy === 'interrupt';
  const apiKeyId = keyIdOf(caller);
  const message = { sessionId, apiKeyId, role, content, toolCalls: toolCalls ?? null, tokens, idempotency };
  const { event, turn } = await createTurn(
    transaction,
    message,
    isFree && role === 'user' ? replicaId : null,
  );
  const accepted = { event, turn, replayed: false };
  if (role === 'assistant') {
    await completeWithoutCall(transaction, turn.id);
    return { ...accepted, turn: { ...turn, status: 'completed' } };
  }
  if (turn.status === 'running')
    return {
      ...accepted,
      claimed: { ...turn, accountId: caller.accountId, apiKeyId, model, system, tools },
    };
  if (isFree) await enqueueTurn(transaction, turn.id, activeTraceparent());
  return accepted;
}

async function acceptToolResults(
  transaction: Transaction,
  posting: PostedEvent,
  { id: sessionId }: LockedSession,
  { content, tool_calls: toolCalls, tool_call_results: results }: BodyOf<'tool'>,
  idempotency: Idempotency | null,
): Promise<AcceptedEvent> {
  const { caller, onBusy, replicaId, streams, tokens } = posting;
  if (onBusy) throw new BadRequestException('on_busy: is not allowed for results of tools');
  const callIds = results.map((result) => result.tool_call_id);
  const {
    turnId,
    turn: { number },
  } = await requirePendingCalls(transaction, sessionId, callIds);
  const event = await appendToolResults(transaction, {
    sessionId,
    turnId,
    type: 'tool_result',
    role: 'tool',
    content: content ?? '',
    toolCallResults: results,
    idempotency,
    toolCalls: toolCalls ?? null,
    tokens,
  });
  const accepted = { event, replayed: false };
  const pending = await readPendingCalls(transaction, turnId);
  if (pending.length > 0) {
    if (streams) {
      await appendRequiresAction(transaction, turnId, pending);
      await notifyReplicas(transaction, TURN_CHANGED, turnId);
    }
    return { ...accepted, turn: { id: turnId, number, status: 'requires_action' } };
  }
  await continueTurn(transaction, turnId, keyIdOf(caller));
  const turn = { id: turnId, number };
  const claimed = replicaId === null ? null : await claimTurn(transaction, turnId, replicaId);
  if (claimed) return { ...accepted, turn: { ...turn, status: 'running' }, claimed };
  await enqueueTurn(transaction, turnId, activeTraceparent());
  return { ...accepted, turn: { ...turn, status: 'queued' } };
}

/** Returns one of the calls. They all belong to one turn: only the turn that waits for tools has calls without a result. */
async function requirePendingCalls(
  transaction: Transaction,
  sessionId: string,
  callIds: string[],
): Promise<StoredToolCall> {
  const calls = await findCalls(transaction, sessionId, callIds);
  const unknown = callIds.filter((id) => !calls.some((call) => call.id === id));
  if (unknown.length > 0)
    throw new BadRequestException(
      `tool_call_results: the model made no call ${unknown.join(', ')} in this session`,
    );
  const answered = calls.filter((call) => call.answeredBy !== null).map(({ id }) => id);
  if (answered.length > 0)
    throw new ConflictException(
      `tool_call_results: the call ${answered.join(', ')} already has a result, or its turn has ended`,
    );
  return calls[0]!;
}

interface Message {
  role: 'user' | 'assistant';
  content: string;
  tool_calls: ToolCall[] | undefined;
}

interface ToolEvent {
  role: 'tool';
  content: string | null | undefined;
  tool_calls: ToolCall[] | undefined;
  tool_call_results: ToolCallResult[];
}

/** A posted event, distinguished by its role. */
export type EventBody = Message | ToolEvent;

/**
 * Returns the event of a valid body. The order of the members is fixed, whatever the client's: the JSON is hashed to recognise a
 * repeated request (see `fingerprintOf`).
 */
export function eventBodyOf({ role, content, tool_calls: calls, tool_call_results: results }: PostEventDto) {
  const sentBack = calls?.length ? calls.map(toolCallOf) : undefined;
  const event: EventBody =
    role === 'tool'
      ? { role, content, tool_calls: sentBack, tool_call_results: results!.map(toolCallResultOf) }
      : { role, content: content!, tool_calls: sentBack };
  return event;
}

const toolCallOf = ({ id, type, function: called }: ToolCallDto): ToolCall => ({
  id,
  type,
  function: { name: called.name, arguments: called.arguments },
});

const toolCallResultOf = ({ tool_call_id, content, is_error }: ToolCallResultDto): ToolCallResult => ({
  tool_call_id,
  content,
  ...(typeof is_error === 'boolean' && { is_error }),
});

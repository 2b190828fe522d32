import { type Transaction } from '@inference/database';
import { type ModelAnswer, type Refusal, refusal } from '@inference/model-calls';
import {
  appendEvent,
  appendToolResults,
  MESSAGE_OVERHEAD_TOKENS,
  type NewEvent,
} from '../session-log/session-log';
import { type StreamEvent } from '../streams/stream-event';
import {
  appendStreamEvent,
  notifyReplicas,
  readDeltaText,
  TURN_ENDED,
} from '../streams/stream-events.repository';
import { insertCalls, readPendingCalls, withUniqueIds } from '../tool-calls/tool-calls.repository';
import { type ToolCall } from '../tables/tool.dto';
import { enqueueTurn, findNextQueuedTurn, type OpenTurn, setTurnStatus } from './turns.repository';

export const INTERRUPTED = 'interrupted';

export const interruptedError = (): Refusal =>
  refusal(503, INTERRUPTED, 'The service stopped in the middle of this turn. Send the message again.');

export const contextTooLongError = (): Refusal =>
  refusal(
    400,
    'context_length_exceeded',
    "The conversation's last turn does not fit into the model's context.",
  );

// How turns pause and end. The transaction of every function here has locked the session.

type AssistantEvent = Pick<
  NewEvent,
  'type' | 'content' | 'toolCalls' | 'finishReason' | 'usage' | 'requestId' | 'status'
>;

/** Records the model's answer: text ends the turn, tool calls make it wait for their results. */
export async function recordAnswer(
  transaction: Transaction,
  turn: OpenTurn,
  answer: ModelAnswer,
): Promise<StreamEvent[]> {
  const { finishReason, usage, requestId } = answer;
  const content = await readGeneratedText(transaction, turn);
  const event = { content, finishReason, usage, requestId, status: 'completed' as const };
  const calls = await withUniqueIds(transaction, turn.sessionId, answer.toolCalls);
  if (calls.length === 0) {
    await appendAssistantEvent(transaction, turn, { ...event, type: 'message' });
    await setTurnStatus(transaction, turn.id, 'completed', true);
    await enqueueNext(transaction, turn.sessionId);
    return [await appendStreamEvent(transaction, turn.id, 'turn.completed', {})];
  }
  await appendAssistantEvent(transaction, turn, { ...event, type: 'tool_calls', toolCalls: calls });
  await insertCalls(transaction, turn.sessionId, turn.id, calls);
  await setTurnStatus(transaction, turn.id, 'requires_action', true);
  const streamEvents: StreamEvent[] = [];
  for (const call of calls)
    streamEvents.push(await appendStreamEvent(transaction, turn.id, 'tool_call', call));
  streamEvents.push(await appendRequiresAction(transaction, turn.id, calls));
  return streamEvents;
}

/** Ends a new turn whose message is an answer that the caller brought along. */
export async function completeWithoutCall(transaction: Transaction, turnId: string): Promise<void> {
  await appendStreamEvent(transaction, turnId, 'turn.started', { turn_id: turnId });
  await appendStreamEvent(transaction, turnId, 'turn.completed', {});
  await setTurnStatus(transaction, turnId, 'completed', true);
}

/** Tells the client which calls still need a result. */
export const appendRequiresAction = (transaction: Transaction, turnId: string, calls: ToolCall[]) =>
  appendStreamEvent(transaction, turnId, 'turn.requires_action', { turn_id: turnId, tool_calls: calls });

/** Ends a turn as failed. @param answer the part of the answer that arrived */
export async function failTurn(
  transaction: Transaction,
  turn: OpenTurn,
  { code, message, retryable }: Refusal,
  answer?: ModelAnswer,
): Promise<StreamEvent[]> {
  const streamEvent = await appendStreamEvent(transaction, turn.id, 'error', {
    error: message,
    code,
    retryable,
  });
  const error = { code, message, retryable };
  await closeUnfinished(transaction, turn, 'failed', message, answer);
  await appendEvent(transaction, {
    ...closingEvent(turn, 'failed'),
    type: 'turn.failed',
    content: '',
    error,
    requestId: answer?.requestId ?? null,
  });
  await enqueueNext(transaction, turn.sessionId);
  return [streamEvent];
}

/**
 * Cancels the open turns of a session. The running turn comes last, because its last stream event blocks the deltas of all turns
 * of its replica until the transaction ends.
 */
export async function cancelTurns(
  transaction: Transaction,
  turns: OpenTurn[],
  reason: string,
): Promise<void> {
  const isRunning = ({ status }: OpenTurn) => Number(status === 'running');
  for (const turn of [...turns].sort((a, b) => isRunning(a) - isRunning(b)))
    await cancelTurn(transaction, turn, reason);
}

async function cancelTurn(transaction: Transaction, turn: OpenTurn, reason: string): Promise<void> {
  await appendStreamEvent(transaction, turn.id, 'turn.cancelled', { turn_id: turn.id });
  await closeUnfinished(transaction, turn, 'cancelled', reason);
  await appendEvent(transaction, {
    ...closingEvent(turn, 'cancelled'),
    type: 'turn.cancelled',
    content: reason,
  });
  await notifyReplicas(transaction, TURN_ENDED, turn.id);
}

/** Has the queue run the session's next turn, if one waits. */
async function enqueueNext(transaction: Transaction, sessionId: string): Promise<void> {
  const next = await findNextQueuedTurn(transaction, sessionId);
  if (next !== undefined) await enqueueTurn(transaction, next);
}

const closingEvent = ({ id, sessionId }: OpenTurn, status: 'failed' | 'cancelled') => ({
  sessionId,
  turnId: id,
  role: 'assistant' as const,
  status,
});

/**
 * Stores the text that the model has sent so far, and adds an error result to every pending tool call. The turn's last stream
 * event is already appended. So a delta that is written concurrently either has a lower number, and its text is included, or has
 * the number of that last event, and is dropped.
 */
async function closeUnfinished(
  transaction: Transaction,
  turn: OpenTurn,
  status: 'failed' | 'cancelled',
  reason: string,
  answer?: ModelAnswer,
): Promise<void> {
  const content = turn.status === 'running' ? await readGeneratedText(transaction, turn) : '';
  const calls = await withUniqueIds(transaction, turn.sessionId, answer?.toolCalls ?? []);
  const isAnswered = content !== '' || calls.length > 0;
  if (isAnswered) {
    const event = { content, status: 'incomplete' as const, usage: answer?.usage ?? null };
    await appendAssistantEvent(
      transaction,
      turn,
      calls.length > 0 ? { ...event, type: 'tool_calls', toolCalls: calls } : { ...event, type: 'message' },
    );
    if (calls.length > 0) await insertCalls(transaction, turn.sessionId, turn.id, calls);
  }
  const pending = await readPendingCalls(transaction, turn.id);
  if (pending.length > 0) {
    await appendToolResults(transaction, {
      sessionId: turn.sessionId,
      turnId: turn.id,
      type: 'tool_result',
      role: 'tool',
      content: '',
      toolCallResults: pending.map(({ id }) => ({ tool_call_id: id, content: reason, is_error: true })),
    });
  }
  await setTurnStatus(transaction, turn.id, status, isAnswered);
}

async function appendAssistantEvent(
  transaction: Transaction,
  turn: OpenTurn,
  event: AssistantEvent,
): Promise<void> {
  const { usage } = event;
  await appendEvent(transaction, {
    sessionId: turn.sessionId,
    turnId: turn.id,
    role: 'assistant',
    ...event,
    ...(usage && { tokens: usage.completion_tokens + MESSAGE_OVERHEAD_TOKENS }),
  });
}

/** Returns the text that the current call of the model has produced. */
const readGeneratedText = (transaction: Transaction, { id, callPosition }: OpenTurn) =>
  readDeltaText(transaction, id, callPosition);

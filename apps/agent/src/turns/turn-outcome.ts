import { type Sql } from '@inference/database';
import { type ModelAnswer, type Refusal } from '@inference/model-calls';
import {
  appendEvent,
  appendToolResults,
  MESSAGE_OVERHEAD_TOKENS,
  type NewEvent,
} from '../session-log/session-log';
import { type StreamEvent } from '../streams/stream-event';
import { appendStreamEvent } from '../streams/stream-event-store';
import { notifyReplicas, TURN_ENDED } from '../streams/turn-notifications';
import { insertCalls, readPendingCalls, withUniqueIds } from '../tool-calls/tool-calls';
import { type ToolCall } from '../tool-calls/tool.dto';
import { type OpenTurn } from './turn';
import { enqueueTurn } from './turn-job';

// How turns pause and end. The transaction of every function here has locked the session.

const GENERATED_TEXT = `
  SELECT coalesce(string_agg(data, '' ORDER BY n), '') AS text FROM agent.stream_events
  WHERE turn_id = $1 AND n > $2 AND kind = 'delta'`;
const SET_STATUS = `
  UPDATE agent.turns SET status = $2, runner = NULL, answered = answered OR $3,
    ended_at = CASE WHEN $2 IN ('completed', 'failed', 'cancelled') THEN clock_timestamp() END
  WHERE id = $1`;
const NEXT_QUEUED = `
  SELECT id FROM agent.turns WHERE session_id = $1 AND status = 'queued' ORDER BY number LIMIT 1`;

type AssistantEvent = Pick<NewEvent, 'type' | 'content' | 'toolCalls' | 'finishReason' | 'usage' | 'status'>;

/** Records the model's answer: text ends the turn, tool calls make it wait for their results. */
export async function recordAnswer(sql: Sql, turn: OpenTurn, answer: ModelAnswer): Promise<StreamEvent[]> {
  const { finishReason, usage } = answer;
  const content = await readGeneratedText(sql, turn);
  const event = { content, finishReason, usage, status: 'completed' as const };
  const calls = await withUniqueIds(sql, turn.sessionId, answer.toolCalls);
  if (calls.length === 0) {
    await appendAssistantEvent(sql, turn, { ...event, type: 'message' });
    await sql.query(SET_STATUS, [turn.id, 'completed', true]);
    await enqueueNext(sql, turn.sessionId);
    return [await appendStreamEvent(sql, turn.id, 'turn.completed', {})];
  }
  await appendAssistantEvent(sql, turn, { ...event, type: 'tool_calls', toolCalls: calls });
  await insertCalls(sql, turn.sessionId, turn.id, calls);
  await sql.query(SET_STATUS, [turn.id, 'requires_action', true]);
  const streamEvents: StreamEvent[] = [];
  for (const call of calls) streamEvents.push(await appendStreamEvent(sql, turn.id, 'tool_call', call));
  streamEvents.push(await appendRequiresAction(sql, turn.id, calls));
  return streamEvents;
}

/** Ends a new turn whose message is an answer that the caller brought along. */
export async function completeWithoutCall(sql: Sql, turnId: string): Promise<void> {
  await appendStreamEvent(sql, turnId, 'turn.started', { turn_id: turnId });
  await appendStreamEvent(sql, turnId, 'turn.completed', {});
  await sql.query(SET_STATUS, [turnId, 'completed', true]);
}

/** Tells the client which calls still need a result. */
export const appendRequiresAction = (sql: Sql, turnId: string, calls: ToolCall[]) =>
  appendStreamEvent(sql, turnId, 'turn.requires_action', { turn_id: turnId, tool_calls: calls });

/** Ends a turn as failed. @param answer the part of the answer that arrived */
export async function failTurn(
  sql: Sql,
  turn: OpenTurn,
  { code, message, retryable }: Refusal,
  answer?: ModelAnswer,
): Promise<StreamEvent[]> {
  const streamEvent = await appendStreamEvent(sql, turn.id, 'error', { error: message, code, retryable });
  const error = { code, message, retryable };
  await closeUnfinished(sql, turn, 'failed', message, answer);
  await appendEvent(sql, { ...closingEvent(turn, 'failed'), type: 'turn.failed', content: '', error });
  await enqueueNext(sql, turn.sessionId);
  return [streamEvent];
}

/**
 * Cancels the open turns of a session. The running turn comes last, because its last stream event blocks the deltas of all turns
 * of its replica until the transaction ends.
 */
export async function cancelTurns(sql: Sql, turns: OpenTurn[], reason: string): Promise<void> {
  const isRunning = ({ status }: OpenTurn) => Number(status === 'running');
  for (const turn of [...turns].sort((a, b) => isRunning(a) - isRunning(b)))
    await cancelTurn(sql, turn, reason);
}

async function cancelTurn(sql: Sql, turn: OpenTurn, reason: string): Promise<void> {
  await appendStreamEvent(sql, turn.id, 'turn.cancelled', { turn_id: turn.id });
  await closeUnfinished(sql, turn, 'cancelled', reason);
  await appendEvent(sql, { ...closingEvent(turn, 'cancelled'), type: 'turn.cancelled', content: reason });
  await notifyReplicas(sql, TURN_ENDED, turn.id);
}

/** Has the queue run the session's next turn, if one waits. */
async function enqueueNext(sql: Sql, sessionId: string): Promise<void> {
  const { rows } = await sql.query<{ id: string }>(NEXT_QUEUED, [sessionId]);
  if (rows[0]) await enqueueTurn(sql, rows[0].id);
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
  sql: Sql,
  turn: OpenTurn,
  status: 'failed' | 'cancelled',
  reason: string,
  answer?: ModelAnswer,
): Promise<void> {
  const content = turn.status === 'running' ? await readGeneratedText(sql, turn) : '';
  const calls = await withUniqueIds(sql, turn.sessionId, answer?.toolCalls ?? []);
  const isAnswered = content !== '' || calls.length > 0;
  if (isAnswered) {
    const event = { content, status: 'incomplete' as const, usage: answer?.usage ?? null };
    await appendAssistantEvent(
      sql,
      turn,
      calls.length > 0 ? { ...event, type: 'tool_calls', toolCalls: calls } : { ...event, type: 'message' },
    );
    if (calls.length > 0) await insertCalls(sql, turn.sessionId, turn.id, calls);
  }
  const pending = await readPendingCalls(sql, turn.id);
  if (pending.length > 0) {
    await appendToolResults(sql, {
      sessionId: turn.sessionId,
      turnId: turn.id,
      type: 'tool_result',
      role: 'tool',
      content: '',
      toolCallResults: pending.map(({ id }) => ({ tool_call_id: id, content: reason, is_error: true })),
    });
  }
  await sql.query(SET_STATUS, [turn.id, status, isAnswered]);
}

async function appendAssistantEvent(sql: Sql, turn: OpenTurn, event: AssistantEvent): Promise<void> {
  const { usage } = event;
  await appendEvent(sql, {
    sessionId: turn.sessionId,
    turnId: turn.id,
    role: 'assistant',
    ...event,
    ...(usage && { tokens: usage.completion_tokens + MESSAGE_OVERHEAD_TOKENS }),
  });
}

/** Returns the text that the current call of the model has produced. */
async function readGeneratedText(sql: Sql, { id, callPosition }: OpenTurn): Promise<string> {
  const { rows } = await sql.query<{ text: string }>(GENERATED_TEXT, [id, callPosition]);
  return rows[0]!.text;
}

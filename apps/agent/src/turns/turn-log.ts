import { newId, type Sql } from '@inference/database';
import { type ModelAnswer, type Refusal, type Usage } from '@inference/model-calls';
import { estimateTokens } from '@inference/tokens';
import { type EventError, type EventRow, type EventType, type TurnStatus } from '../events/event';
import { type Frame } from '../frames/frame';
import { appendFrame } from '../frames/frame-store';
import { TURN_CHANGED, TURN_ENDED } from '../frames/turn-feeds';
import { type ToolCall, type ToolCallResult } from '../sessions/tool-shapes';
import { addTurnJob } from './turn-jobs';

/**
 * How turns go on and end. Every function here is called inside a transaction that has locked the row of the session,
 * whose turns and events therefore change one after another.
 */

export interface OpenTurn {
  id: string;
  sessionId: string;
  number: number;
  status: TurnStatus;
  /** The last frame before the call of the model that is under way, or came last. */
  callFrame: number;
}

export interface NewEvent {
  sessionId: string;
  turnId: string;
  type: EventType;
  role: EventRow['role'];
  content: string;
  toolCalls?: ToolCall[];
  toolCallResults?: ToolCallResult[];
  status?: EventRow['status'];
  finishReason?: string | null;
  usage?: Usage | null;
  error?: EventError;
  idempotency?: { key: string; fingerprint: Buffer } | null;
  tokens?: number;
}

/** `after_frame`: the last frame of the turn before the event. */
export type StoredEvent = EventRow & { after_frame: number };

/** What a chat template puts around a message, roughly. */
const MESSAGE_TOKENS = 8;

const APPEND_EVENT = `
  WITH session AS (UPDATE agent.sessions SET last_seq = last_seq + 1 WHERE id = $2 RETURNING last_seq)
  INSERT INTO agent.events AS e (id, session_id, seq, turn_id, type, role, content, tool_calls, tool_call_results, status,
    finish_reason, usage, error, tokens, idempotency_key, fingerprint, after_frame)
  SELECT $1, $2, last_seq, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
    (SELECT coalesce(max(n), 0) FROM agent.frames WHERE turn_id = $3)
  FROM session
  RETURNING *`;
const OPEN_TURNS = `
  SELECT id, session_id AS "sessionId", number, status, call_frame AS "callFrame" FROM agent.turns
  WHERE session_id = $1 AND status IN ('queued', 'running', 'requires_action') ORDER BY number`;
const SPOKEN = `
  SELECT coalesce(string_agg(data, '' ORDER BY n), '') AS text FROM agent.frames
  WHERE turn_id = $1 AND n > $2 AND kind = 'delta'`;
const SET_STATUS = `
  UPDATE agent.turns SET status = $2, runner = NULL, answered = answered OR $3,
    ended_at = CASE WHEN $2 IN ('completed', 'failed', 'cancelled') THEN clock_timestamp() END
  WHERE id = $1`;
const NEXT_QUEUED = `
  SELECT id FROM agent.turns WHERE session_id = $1 AND status = 'queued' ORDER BY number LIMIT 1`;
const KEEP_CALLS = `
  INSERT INTO agent.tool_calls (session_id, id, turn_id, position, call)
  SELECT $1, call ->> 'id', $2, position, call FROM json_array_elements($3::json) WITH ORDINALITY AS c(call, position)`;
const KNOWN_CALLS = 'SELECT id FROM agent.tool_calls WHERE session_id = $1 AND id = ANY ($2)';
const UNANSWERED = `
  SELECT call FROM agent.tool_calls WHERE turn_id = $1 AND answered_by IS NULL ORDER BY position`;
const ANSWER = `
  UPDATE agent.tool_calls SET answered_by = $3 WHERE session_id = $1 AND id = ANY ($2) AND answered_by IS NULL`;

const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));

export async function appendEvent(sql: Sql, event: NewEvent): Promise<StoredEvent> {
  const { toolCalls, toolCallResults, idempotency } = event;
  const calls = json(toolCalls);
  const results = json(toolCallResults);
  const { rows } = await sql.query<StoredEvent>(APPEND_EVENT, [
    newId('evt'),
    event.sessionId,
    event.turnId,
    event.type,
    event.role,
    event.content,
    calls,
    results,
    event.status ?? null,
    event.finishReason ?? null,
    json(event.usage),
    json(event.error),
    event.tokens ?? tokensOf(event.content, calls, results),
    idempotency?.key ?? null,
    idempotency?.fingerprint ?? null,
  ]);
  return rows[0]!;
}

/** What an event takes of a model's context. */
export function tokensOf(...texts: (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text ? estimateTokens(text) : 0), MESSAGE_TOKENS);
}

/** Queued, running or waiting for tools, in their order. */
export async function readOpenTurns(sql: Sql, sessionId: string): Promise<OpenTurn[]> {
  return (await sql.query<OpenTurn>(OPEN_TURNS, [sessionId])).rows;
}

export async function readUnansweredCalls(sql: Sql, turnId: string): Promise<ToolCall[]> {
  const { rows } = await sql.query<{ call: ToolCall }>(UNANSWERED, [turnId]);
  return rows.map(({ call }) => call);
}

/** A tool_result of the caller, or of ours in the caller's place. */
export async function answerCalls(
  sql: Sql,
  event: NewEvent & { toolCallResults: ToolCallResult[] },
): Promise<StoredEvent> {
  const row = await appendEvent(sql, event);
  const ids = event.toolCallResults.map((result) => result.tool_call_id);
  await sql.query(ANSWER, [event.sessionId, ids, row.id]);
  return row;
}

/** The model has answered: with text, which ends the turn, or with calls of tools, for which it waits. */
export async function concludeAnswer(sql: Sql, turn: OpenTurn, answer: ModelAnswer): Promise<Frame[]> {
  const { finishReason, usage } = answer;
  const spoken = { content: await readSpoken(sql, turn), finishReason, usage, status: 'completed' as const };
  const calls = await withNewIds(sql, turn, answer.toolCalls);
  if (calls.length === 0) {
    await appendAssistant(sql, turn, { ...spoken, type: 'message' });
    await sql.query(SET_STATUS, [turn.id, 'completed', true]);
    await startNext(sql, turn.sessionId);
    return [await appendFrame(sql, turn.id, 'turn.completed', {})];
  }
  await appendAssistant(sql, turn, { ...spoken, type: 'tool_calls', toolCalls: calls });
  await sql.query(KEEP_CALLS, [turn.sessionId, turn.id, JSON.stringify(calls)]);
  await sql.query(SET_STATUS, [turn.id, 'requires_action', true]);
  const frames: Frame[] = [];
  for (const call of calls) frames.push(await appendFrame(sql, turn.id, 'tool_call', call));
  frames.push(await appendRequiresAction(sql, turn.id, calls));
  return frames;
}

export const appendRequiresAction = (sql: Sql, turnId: string, calls: ToolCall[]) =>
  appendFrame(sql, turnId, 'turn.requires_action', { turn_id: turnId, tool_calls: calls });

/** The turn ends without an answer, or with the part of it that came. */
export async function failTurn(
  sql: Sql,
  turn: OpenTurn,
  { code, message, retryable }: Refusal,
  answer?: ModelAnswer,
): Promise<Frame[]> {
  const frame = await appendFrame(sql, turn.id, 'error', { error: message, code, retryable });
  const error = { code, message, retryable };
  await breakOff(sql, turn, 'failed', message, answer);
  await appendEvent(sql, { ...ending(turn, 'failed'), type: 'turn.failed', content: message, error });
  await startNext(sql, turn.sessionId);
  return [frame];
}

/**
 * The open turns of a session. The one that runs comes last: from its last frame to the end of the transaction the
 * process that runs it writes nothing, for whichever turn.
 */
export async function cancelTurns(sql: Sql, turns: OpenTurn[], reason: string): Promise<void> {
  const runs = ({ status }: OpenTurn) => Number(status === 'running');
  for (const turn of [...turns].sort((a, b) => runs(a) - runs(b))) await cancelTurn(sql, turn, reason);
}

/** Also says so to the process that runs it, and to the readers elsewhere. */
async function cancelTurn(sql: Sql, turn: OpenTurn, reason: string): Promise<void> {
  await appendFrame(sql, turn.id, 'turn.cancelled', { turn_id: turn.id });
  await breakOff(sql, turn, 'cancelled', reason);
  await appendEvent(sql, { ...ending(turn, 'cancelled'), type: 'turn.cancelled', content: reason });
  await notifyEnded(sql, turn.id);
}

/** Tells the readers of a turn that frames were added elsewhere than by its runner; takes effect with the transaction. */
export async function notifyChanged(sql: Sql, turnId: string): Promise<void> {
  await sql.query('SELECT pg_notify($1, $2)', [TURN_CHANGED, turnId]);
}

/** Tells whoever runs a turn, and its readers, that others have ended it; takes effect with the transaction. */
export async function notifyEnded(sql: Sql, turnId: string): Promise<void> {
  await sql.query('SELECT pg_notify($1, $2)', [TURN_ENDED, turnId]);
}

/** Lets the session's next turn run, if one waits. */
async function startNext(sql: Sql, sessionId: string): Promise<void> {
  const { rows } = await sql.query<{ id: string }>(NEXT_QUEUED, [sessionId]);
  if (rows[0]) await addTurnJob(sql, rows[0].id);
}

const ending = ({ id, sessionId }: OpenTurn, status: 'failed' | 'cancelled') => ({
  sessionId,
  turnId: id,
  role: 'assistant' as const,
  status,
});

/**
 * The turn's last frame is there already: should its text be on the way to the database just now, it is either behind us
 * and counts, or finds its place taken.
 * Keeps what the model has said so far, and answers every call of a tool that would otherwise wait for ever. */
async function breakOff(
  sql: Sql,
  turn: OpenTurn,
  status: 'failed' | 'cancelled',
  reason: string,
  answer?: ModelAnswer,
): Promise<void> {
  const content = turn.status === 'running' ? await readSpoken(sql, turn) : '';
  const cutOff = await withNewIds(sql, turn, answer?.toolCalls ?? []);
  if (content || cutOff.length > 0) {
    const said = { content, status: 'incomplete' as const, usage: answer?.usage ?? null };
    await appendAssistant(
      sql,
      turn,
      cutOff.length > 0 ? { ...said, type: 'tool_calls', toolCalls: cutOff } : { ...said, type: 'message' },
    );
    if (cutOff.length > 0) await sql.query(KEEP_CALLS, [turn.sessionId, turn.id, JSON.stringify(cutOff)]);
  }
  const waiting = await readUnansweredCalls(sql, turn.id);
  if (waiting.length > 0) {
    await answerCalls(sql, {
      sessionId: turn.sessionId,
      turnId: turn.id,
      type: 'tool_result',
      role: 'tool',
      content: '',
      toolCallResults: waiting.map(({ id }) => ({ tool_call_id: id, content: reason, is_error: true })),
    });
  }
  await sql.query(SET_STATUS, [turn.id, status, content !== '' || cutOff.length > 0]);
}

function appendAssistant(
  sql: Sql,
  turn: OpenTurn,
  said: Pick<NewEvent, 'type' | 'content' | 'toolCalls' | 'finishReason' | 'usage' | 'status'>,
): Promise<StoredEvent> {
  const event = { sessionId: turn.sessionId, turnId: turn.id, role: 'assistant' as const, ...said };
  const tokens = said.usage ? said.usage.completion_tokens + MESSAGE_TOKENS : undefined;
  return appendEvent(sql, tokens === undefined ? event : { ...event, tokens });
}

async function readSpoken(sql: Sql, { id, callFrame }: OpenTurn): Promise<string> {
  const { rows } = await sql.query<{ text: string }>(SPOKEN, [id, callFrame]);
  return rows[0]!.text;
}

/** Some models number their calls anew each time; in a session an id names one call. */
async function withNewIds(sql: Sql, { sessionId }: OpenTurn, calls: ToolCall[]): Promise<ToolCall[]> {
  if (calls.length === 0) return calls;
  const { rows } = await sql.query<{ id: string }>(KNOWN_CALLS, [sessionId, calls.map(({ id }) => id)]);
  const taken = new Set(rows.map(({ id }) => id));
  return calls.map((call) => {
    const id = taken.has(call.id) ? newId('call') : call.id;
    taken.add(id);
    return { ...call, id };
  });
}

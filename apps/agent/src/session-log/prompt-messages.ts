import { type Sql } from '@inference/database';
import { type Message } from '@inference/model-calls';
import { estimateTokens } from '@inference/tokens';
import { type ToolCall, type ToolDefinition } from '../tool-calls/tool.dto';
import { type EventRow } from './session-event';

interface PromptTurn {
  sessionId: string;
  number: number;
  system: string | null;
  tools: ToolDefinition[];
}

interface ContextLimits {
  context_tokens: number;
  max_output_tokens: number;
}

type PromptEvent = Pick<
  EventRow,
  'seq' | 'type' | 'role' | 'content' | 'tool_calls' | 'tool_call_results'
> & {
  number: number;
  tokens: number;
  /** True for the last page. */
  isLast: boolean;
};

const PAGE_EVENTS = 200;
/** Share of the context that is filled: token counts are estimates, and each model counts differently. */
const FILL_RATIO = 0.9;
/**
 * Newest events first: those that fit into the budget ($5) and the first one that does not. Earlier turns that failed before the
 * model sent anything are left out.
 */
const READ = `
  SELECT number, e.seq, e.type, e.role, e.content, e.tool_calls, e.tool_call_results, e.tokens, is_last AS "isLast"
  FROM (
    SELECT *, sum(tokens) OVER newest_first - tokens AS taken, count(*) OVER () < ${PAGE_EVENTS} AS is_last
    FROM (
      SELECT t.number, e.id, e.seq, e.tokens FROM agent.turns t JOIN agent.events e ON e.turn_id = t.id
      WHERE t.session_id = $1 AND t.number <= $2 AND (t.number = $2 OR t.answered OR t.status = 'cancelled')
        AND (t.number, e.seq) < ($3, $4) AND e.type IN ('message', 'tool_calls', 'tool_result')
      ORDER BY t.number DESC, e.seq DESC LIMIT ${PAGE_EVENTS}
    ) page WINDOW newest_first AS (ORDER BY number DESC, seq DESC)
  ) fitting JOIN agent.events e USING (id)
  WHERE taken <= $5 ORDER BY number DESC, e.seq DESC`;
/** Greater than every `seq`. */
const MAX_SEQ = 2n ** 62n;

/**
 * Returns the messages for the model: the system prompt and the newest turns of the conversation that fit into the context,
 * beside the system prompt, the tool definitions and the room for the answer. A turn is included completely or not at all, so
 * that every tool result follows its call. Returns null if not even the last turn fits.
 */
export async function readPromptMessages(
  sql: Sql,
  turn: PromptTurn,
  { context_tokens: context, max_output_tokens: output }: ContextLimits,
): Promise<Message[] | null> {
  const fixed =
    estimateTokens(turn.system ?? '') + estimateTokens(turn.tools.length ? JSON.stringify(turn.tools) : '');
  const events = await readNewest(sql, turn, Math.floor((context - output) * FILL_RATIO) - fixed);
  if (!events) return null;
  const messages = events.flatMap(messagesOf);
  return turn.system ? [{ role: 'system', content: turn.system }, ...messages] : messages;
}

/** Returns the events of the newest turns that fit into the budget of tokens, oldest first; null if the last turn does not fit. */
async function readNewest(sql: Sql, turn: PromptTurn, budget: number): Promise<PromptEvent[] | null> {
  const selected: PromptEvent[] = [];
  let turnEvents: PromptEvent[] = [];
  let remainingTokens = budget;
  let before: [number, bigint] = [turn.number + 1, MAX_SEQ];
  for (;;) {
    const { rows } = await sql.query<PromptEvent>(READ, [
      turn.sessionId,
      turn.number,
      ...before,
      remainingTokens,
    ]);
    for (const event of rows) {
      if (turnEvents.length > 0 && turnEvents[0]!.number !== event.number) {
        selected.push(...turnEvents);
        turnEvents = [];
      }
      remainingTokens -= event.tokens;
      if (remainingTokens < 0) return selected.length > 0 ? selected.reverse() : null;
      turnEvents.push(event);
    }
    const last = rows.at(-1);
    if (!last || last.isLast) return [...selected, ...turnEvents].reverse();
    before = [last.number, last.seq];
  }
}

function messagesOf(event: PromptEvent): Message[] {
  switch (event.type) {
    case 'tool_calls':
      return [
        {
          role: 'assistant',
          content: event.content || null,
          tool_calls: event.tool_calls!.map(withValidArguments),
        },
      ];
    case 'tool_result':
      return event.tool_call_results!.map(({ tool_call_id, content, is_error }) => ({
        role: 'tool',
        tool_call_id,
        content: is_error ? `Error: ${content}` : content,
      }));
    default:
      return event.role === 'user'
        ? [{ role: 'user', content: event.content }]
        : [{ role: 'assistant', content: event.content }];
  }
}

/** Replaces incomplete arguments of a call that was cut off: model servers refuse them. */
function withValidArguments(call: ToolCall): ToolCall {
  try {
    JSON.parse(call.function.arguments);
    return call;
  } catch {
    return { ...call, function: { ...call.function, arguments: '{}' } };
  }
}

import { type Sql } from '@inference/database';
import { type Message } from '@inference/model-calls';
import { estimateTokens } from '@inference/tokens';
import { type EventRow } from '../events/event';
import { type ToolCall, type ToolDefinition } from '../sessions/tool-shapes';

interface ToldTurn {
  sessionId: string;
  number: number;
  system: string | null;
  tools: ToolDefinition[];
}

interface ContextLimits {
  context_tokens: number;
  max_output_tokens: number;
}

type ToldEvent = Pick<EventRow, 'seq' | 'type' | 'role' | 'content' | 'tool_calls' | 'tool_call_results'> & {
  number: number;
  tokens: number;
  /** Nothing is on the pages behind this one. */
  isLast: boolean;
};

const PAGE = 200;
/** Our count is an estimate, and every model counts in its own way. */
const MARGIN = 0.9;
/** No more than fits, and the first event that does not. Of the turns before: those that failed before the model said anything are as if they had not been. */
const READ = `
  SELECT number, e.seq, e.type, e.role, e.content, e.tool_calls, e.tool_call_results, e.tokens, is_last AS "isLast"
  FROM (
    SELECT *, sum(tokens) OVER newest_first - tokens AS taken, count(*) OVER () < ${PAGE} AS is_last
    FROM (
      SELECT t.number, e.id, e.seq, e.tokens FROM agent.turns t JOIN agent.events e ON e.turn_id = t.id
      WHERE t.session_id = $1 AND t.number <= $2 AND (t.number = $2 OR t.answered OR t.status = 'cancelled')
        AND (t.number, e.seq) < ($3, $4) AND e.type IN ('message', 'tool_calls', 'tool_result')
      ORDER BY t.number DESC, e.seq DESC LIMIT ${PAGE}
    ) page WINDOW newest_first AS (ORDER BY number DESC, seq DESC)
  ) fitting JOIN agent.events e USING (id)
  WHERE taken <= $5 ORDER BY number DESC, e.seq DESC`;
const END_OF_SEQ = 2n ** 62n;

/**
 * What the model is told: the system's text, and of the conversation the newest turns that fit into the model's context
 * beside it, the tools and the room for an answer. Turns are told whole or not at all, so that no result of a tool stands
 * without its call; the oldest are left out first. Null when not even the last turn fits.
 */
export async function readConversation(
  sql: Sql,
  turn: ToldTurn,
  { context_tokens: context, max_output_tokens: output }: ContextLimits,
): Promise<Message[] | null> {
  const fixed =
    estimateTokens(turn.system ?? '') + estimateTokens(turn.tools.length ? JSON.stringify(turn.tools) : '');
  const events = await readNewest(sql, turn, Math.floor((context - output) * MARGIN) - fixed);
  if (!events) return null;
  const messages = events.flatMap(messagesOf);
  return turn.system ? [{ role: 'system', content: turn.system }, ...messages] : messages;
}

/** The events of the newest turns that take no more than the budget, oldest first. */
async function readNewest(sql: Sql, turn: ToldTurn, budget: number): Promise<ToldEvent[] | null> {
  const told: ToldEvent[] = [];
  let ofTurn: ToldEvent[] = [];
  let left = budget;
  let before: [number, bigint] = [turn.number + 1, END_OF_SEQ];
  for (;;) {
    const { rows } = await sql.query<ToldEvent>(READ, [turn.sessionId, turn.number, ...before, left]);
    for (const event of rows) {
      if (ofTurn.length > 0 && ofTurn[0]!.number !== event.number) {
        told.push(...ofTurn);
        ofTurn = [];
      }
      left -= event.tokens;
      if (left < 0) return told.length > 0 ? told.reverse() : null;
      ofTurn.push(event);
    }
    const last = rows.at(-1);
    if (!last || last.isLast) return [...told, ...ofTurn].reverse();
    before = [last.number, last.seq];
  }
}

function messagesOf(event: ToldEvent): Message[] {
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

/** A call that was cut off has half of its arguments, which model servers refuse. */
function withValidArguments(call: ToolCall): ToolCall {
  try {
    JSON.parse(call.function.arguments);
    return call;
  } catch {
    return { ...call, function: { ...call.function, arguments: '{}' } };
  }
}

import { type Executor } from '@inference/database';
import { type Message } from '@inference/model-calls';
import { estimateTokens } from '@inference/tokens';
import { type ToolCall } from '../tables/tool.dto';
import { type Turn } from '../tables/turn.entity';
import { type PromptEvent, readPromptEvents } from './session-events.repository';

type PromptTurn = Pick<Turn, 'sessionId' | 'number'> & Pick<Turn['session'], 'system' | 'tools'>;

interface ContextLimits {
  context_tokens: number;
  max_output_tokens: number;
}

/** Share of the context that is filled: token counts are estimates, and each model counts differently. */
const FILL_RATIO = 0.9;
/** Greater than every `seq`. */
const MAX_SEQ = 2n ** 62n;

/**
 * Returns the messages for the model: the system prompt and the newest turns of the conversation that fit into the context,
 * beside the system prompt, the tool definitions and the room for the answer. A turn is included completely or not at all, so
 * that every tool result follows its call. Returns null if not even the last turn fits.
 */
export async function readPromptMessages(
  executor: Executor,
  turn: PromptTurn,
  { context_tokens: context, max_output_tokens: output }: ContextLimits,
): Promise<Message[] | null> {
  const fixed =
    estimateTokens(turn.system ?? '') + estimateTokens(turn.tools.length ? JSON.stringify(turn.tools) : '');
  const events = await readNewest(executor, turn, Math.floor((context - output) * FILL_RATIO) - fixed);
  if (!events) return null;
  const messages = events.flatMap(messagesOf);
  return turn.system ? [{ role: 'system', content: turn.system }, ...messages] : messages;
}

/** Returns the events of the newest turns that fit into the budget of tokens, oldest first; null if the last turn does not fit. */
async function readNewest(
  executor: Executor,
  turn: PromptTurn,
  budget: number,
): Promise<PromptEvent[] | null> {
  const selected: PromptEvent[] = [];
  let turnEvents: PromptEvent[] = [];
  let remainingTokens = budget;
  let before: [number, bigint] = [turn.number + 1, MAX_SEQ];
  for (;;) {
    const events = await readPromptEvents(executor, turn, before, remainingTokens);
    for (const event of events) {
      if (turnEvents.length > 0 && turnEvents[0]!.turnNumber !== event.turnNumber) {
        selected.push(...turnEvents);
        turnEvents = [];
      }
      remainingTokens -= event.tokens;
      if (remainingTokens < 0) return selected.length > 0 ? selected.reverse() : null;
      turnEvents.push(event);
    }
    const last = events.at(-1);
    if (!last || last.isLast) return [...selected, ...turnEvents].reverse();
    before = [last.turnNumber, last.seq];
  }
}

function messagesOf(event: PromptEvent): Message[] {
  switch (event.type) {
    case 'tool_calls':
      return [
        {
          role: 'assistant',
          content: event.content || null,
          tool_calls: event.toolCalls!.map(withValidArguments),
        },
      ];
    case 'tool_result':
      return event.toolCallResults!.map(({ tool_call_id, content, is_error }) => ({
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

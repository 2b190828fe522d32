import { type NewEvent, type ToolCall } from '../events/event.ts';
import { type SendOptions, sendingCall } from '../events/events.ts';
import { makeIdempotencyKey } from '../events/idempotency-key.ts';
import { AgentError } from '../http/agent-error.ts';
import { type Transport } from '../http/transport.ts';
import { type ErrorFrame, type Frame } from '../stream/frame.ts';
import { TurnFollower } from '../stream/turn-follower.ts';
import { runTools, type ToolHandlers } from './tool-handlers.ts';

const DEFAULT_MAX_ROUNDS = 16;

export interface RunOptions extends SendOptions {
  /** By the name of the function. */
  tools: ToolHandlers;
  /** How often tools may answer before the loop gives up; 16 by default. */
  maxRounds?: number;
}

/** A turn from the user's words to its end, with the results of tools in between. */
export async function* toolLoop(
  transport: Transport,
  sessionId: string,
  content: string,
  options: RunOptions,
): AsyncGenerator<Frame | ErrorFrame, void, undefined> {
  const { tools, maxRounds = DEFAULT_MAX_ROUNDS, onBusy, signal } = options;
  const key = options.idempotencyKey ?? makeIdempotencyKey();
  let event: NewEvent = { role: 'user', content };
  let after: string | undefined;
  for (let round = 0; ; round += 1) {
    // The same run again sends the same keys, and so joins what it had begun.
    const sending = round === 0 ? { idempotencyKey: key, onBusy } : { idempotencyKey: `${key}.${round}` };
    const start = streamingCall(sessionId, event, sending);
    let waiting: { turn_id: string; tool_calls: ToolCall[] } | undefined;
    for await (const frame of new TurnFollower(transport, { sessionId, start, after, signal }).frames()) {
      after = frame.id;
      if (frame.kind === 'turn.requires_action') waiting = frame.data;
      yield frame;
    }
    if (!waiting) return;
    if (round >= maxRounds) {
      const message = `The model has called tools ${round + 1} times.`;
      throw new AgentError(message, { code: 'too_many_rounds', turnId: waiting.turn_id });
    }
    event = { role: 'tool', tool_call_results: await runTools(tools, waiting.tool_calls, signal) };
  }
}

/** Sends an event and shows its turn. */
export function streamingCall(sessionId: string, event: NewEvent, options: SendOptions) {
  const call = sendingCall(sessionId, event, options);
  return { ...call, path: `${call.path}/stream` };
}

import { type NewEvent, type ToolCall, type ToolEvent } from './events/event.ts';
import { type SendOptions, sendingCall, makeIdempotencyKey, Events } from './events/events.ts';
import { AgentError } from './http/agent-error.ts';
import { type Call, type Transport } from './http/transport.ts';
import { type TurnErrorEvent, type StreamEvent } from './stream/stream-event.ts';
import { type Following, TurnFollower } from './stream/turn-follower.ts';
import { runTools, type ToolHandlers } from './tool-handlers.ts';
import { Sessions } from './sessions.ts';

const DEFAULT_MAX_ROUNDS = 16;

export interface RunOptions extends SendOptions {
  /** By function name. */
  tools: ToolHandlers;
  /** Maximum number of rounds of tool results. Default: 16. */
  maxRounds?: number;
}

type StreamEvents = AsyncGenerator<StreamEvent | TurnErrorEvent, void, undefined>;

/** Streams a turn from the user's message to its end, and sends the results of the tools. */
export async function* toolLoop(
  transport: Transport,
  sessionId: string,
  content: string,
  options: RunOptions,
): StreamEvents {
  const { maxRounds = DEFAULT_MAX_ROUNDS, onBusy, signal } = options;
  const key = options.idempotencyKey ?? makeIdempotencyKey();
  const start = streamingCall(sessionId, { role: 'user', content }, { idempotencyKey: key, onBusy });
  let events = new TurnFollower(transport, { sessionId, start, signal }).events();
  for (let round = 1; ; round += 1) {
    let after: string | undefined;
    let waiting: { turn_id: string; tool_calls: ToolCall[] } | undefined;
    for await (const event of events) {
      after = event.id;
      if (event.kind === 'turn.requires_action') waiting = event.data;
      yield event;
    }
    if (!waiting) return;
    if (round > maxRounds) {
      const message = `The model has called tools ${round} times.`;
      throw new AgentError(message, { code: 'too_many_rounds', turnId: waiting.turn_id });
    }
    // A repeated run sends the same idempotency keys.
    const answering = {
      tools: options.tools,
      idempotencyKey: `${key}.${round}`,
      mayBeJoined: options.idempotencyKey !== undefined,
    };
    events = answered(transport, { sessionId, after, signal }, waiting.tool_calls, answering);
  }
}

/** Answers the calls that have no results yet, and streams the continuation of the turn. */
async function* answered(
  transport: Transport,
  following: Following,
  calls: ToolCall[],
  {
    tools,
    idempotencyKey,
    mayBeJoined,
  }: { tools: ToolHandlers; idempotencyKey: string; mayBeJoined: boolean },
): StreamEvents {
  const { sessionId, signal } = following;
  const open = mayBeJoined ? await unansweredCalls(transport, sessionId, calls, signal) : calls;
  if (open.length > 0) {
    const event: ToolEvent = { role: 'tool', tool_call_results: await runTools(tools, open, signal) };
    try {
      if (open.length === calls.length) {
        const start = streamingCall(sessionId, event, { idempotencyKey });
        return yield* new TurnFollower(transport, { ...following, start }).events();
      }
      // A new stream would skip the events since these calls.
      await transport.json(sendingCall(sessionId, event, { idempotencyKey }), signal);
    } catch (error) {
      // A 409 means that another run, or the end of the turn, came first. Any other error is final.
      const isLate = error instanceof AgentError && error.status === 409;
      if (!isLate || (await unansweredCalls(transport, sessionId, open, signal)).length > 0) throw error;
    }
  }
  yield* new TurnFollower(transport, following).events();
}

/** Sends an event and streams its turn. */
export function streamingCall(sessionId: string, event: NewEvent, options: SendOptions): Call {
  const call = sendingCall(sessionId, event, options);
  return { ...call, path: `${call.path}/stream` };
}

const EVENTS_PER_PAGE = 100;

/**
 * The calls for which the session has no results. Reads the events from the newest back to the calls. The id of a call is
 * unique in its session.
 */
async function unansweredCalls(
  transport: Transport,
  sessionId: string,
  calls: readonly ToolCall[],
  signal?: AbortSignal,
): Promise<ToolCall[]> {
  const { last_seq: newest } = await new Sessions(transport).get(sessionId, { signal });
  const events = new Events(transport);
  const answered = new Set<string>();
  let areReached = false;
  for (let end = newest; end > 0 && !areReached; end -= EVENTS_PER_PAGE) {
    const options = { after: Math.max(0, end - EVENTS_PER_PAGE), limit: EVENTS_PER_PAGE, signal };
    for (const event of (await events.page(sessionId, options)).events) {
      if (event.type === 'tool_result') {
        for (const { tool_call_id: id } of event.tool_call_results) answered.add(id);
      } else if (event.type === 'tool_calls') {
        areReached ||= event.tool_calls.some(({ id }) => id === calls[0]?.id);
      }
    }
  }
  return calls.filter(({ id }) => !answered.has(id));
}

import { type EventSourceMessage } from 'eventsource-parser';
import { type ToolCall } from '../events/event.ts';
import { AgentError } from '../http/agent-error.ts';

interface StreamEventOf<Kind extends string, Data> {
  kind: Kind;
  /** Its position, such as `3.17`. */
  id: string;
  data: Data;
}

export type TurnStarted = StreamEventOf<'turn.started', { turn_id: string }>;
/** Text to append. */
export type Delta = StreamEventOf<'delta', { content: string }>;
/** A complete tool call. */
export type ToolCallEvent = StreamEventOf<'tool_call', ToolCall>;
/** The turn waits for the results of these calls. */
export type RequiresAction = StreamEventOf<
  'turn.requires_action',
  { turn_id: string; tool_calls: ToolCall[] }
>;
export type TurnCompleted = StreamEventOf<'turn.completed', Record<string, never>>;
export type TurnCancelledEvent = StreamEventOf<'turn.cancelled', { turn_id: string }>;
/** A kind that this version does not know. Ignore it (spec: Events, "Other kinds may occur"). */
export type UnknownEvent = StreamEventOf<'unknown', unknown> & { name: string };

/** An event that an iteration yields. For a failed turn the iteration throws an AgentError instead. */
export type StreamEvent =
  | TurnStarted
  | Delta
  | ToolCallEvent
  | RequiresAction
  | TurnCompleted
  | TurnCancelledEvent
  | UnknownEvent;

/** The last event of a failed turn. */
export type TurnErrorEvent = StreamEventOf<'error', { error: string; code: string; retryable: boolean }>;

const invalidEvent = (what: string, cause?: unknown) =>
  new AgentError(`The stream contains an event ${what}.`, { code: 'bad_answer', cause });

const isString = (value: unknown) => typeof value === 'string';
const isToolCall = ({ id, function: called }: Record<string, unknown>) => {
  const { name, arguments: written } = (called ?? {}) as Record<string, unknown>;
  return isString(id) && isString(name) && isString(written);
};

/** The required properties of the data of each kind. */
const SHAPES: Record<
  Exclude<StreamEvent['kind'], 'unknown'> | 'error',
  (data: Record<string, unknown>) => boolean
> = {
  'turn.started': ({ turn_id: turnId }) => isString(turnId),
  delta: ({ content }) => isString(content),
  tool_call: isToolCall,
  'turn.requires_action': ({ tool_calls: calls }) => Array.isArray(calls) && calls.every(isToolCall),
  'turn.completed': () => true,
  'turn.cancelled': () => true,
  error: ({ error }) => isString(error),
};

function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw invalidEvent('whose data is not JSON', cause);
  }
}

/** Undefined for an unknown kind without a position. Throws an AgentError for an invalid event. */
export function parseStreamEvent({
  event: name = 'message',
  id,
  data: json,
}: EventSourceMessage): StreamEvent | TurnErrorEvent | undefined {
  const isKnown = Object.hasOwn(SHAPES, name);
  if (!id) {
    if (isKnown) throw invalidEvent(`without an id (${name})`);
    return undefined;
  }
  const data = parseData(json);
  if (!isKnown) return { kind: 'unknown', name, id, data };
  const kind = name as keyof typeof SHAPES;
  const isObject = typeof data === 'object' && data !== null;
  if (!isObject || !SHAPES[kind](data as Record<string, unknown>))
    throw invalidEvent(`with invalid data (${name})`);
  return { kind, id, data } as StreamEvent | TurnErrorEvent;
}

const FINAL_KINDS = new Set<string>(['turn.requires_action', 'turn.completed', 'turn.cancelled', 'error']);

/** Whether it is the last event of a response. A response that ends without one was interrupted. */
export const endsResponse = ({ kind }: { kind: string }) => FINAL_KINDS.has(kind);

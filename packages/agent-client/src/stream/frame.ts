import { type EventSourceMessage } from 'eventsource-parser';
import { type ToolCall } from '../events/event.ts';
import { AgentError } from '../http/agent-error.ts';

interface FrameOf<Kind extends string, Data> {
  kind: Kind;
  /** Its position, such as `3.17`. */
  id: string;
  data: Data;
}

export type TurnStarted = FrameOf<'turn.started', { turn_id: string }>;
/** Text to append. */
export type Delta = FrameOf<'delta', { content: string }>;
/** A complete tool call. */
export type ToolCallFrame = FrameOf<'tool_call', ToolCall>;
/** The turn waits for the results of these calls. */
export type RequiresAction = FrameOf<'turn.requires_action', { turn_id: string; tool_calls: ToolCall[] }>;
export type TurnCompleted = FrameOf<'turn.completed', Record<string, never>>;
export type TurnCancelledFrame = FrameOf<'turn.cancelled', { turn_id: string }>;
/** A kind that this version does not know. Ignore it (spec: Events, "Other kinds may occur"). */
export type UnknownFrame = FrameOf<'unknown', unknown> & { name: string };

/** A frame that an iteration yields. For a failed turn the iteration throws an AgentError instead. */
export type Frame =
  TurnStarted | Delta | ToolCallFrame | RequiresAction | TurnCompleted | TurnCancelledFrame | UnknownFrame;

/** The last frame of a failed turn. */
export type ErrorFrame = FrameOf<'error', { error: string; code: string; retryable: boolean }>;

const badFrame = (what: string, cause?: unknown) =>
  new AgentError(`The stream carries a frame ${what}.`, { code: 'bad_answer', cause });

const isString = (value: unknown) => typeof value === 'string';
const isToolCall = ({ id, function: called }: Record<string, unknown>) => {
  const { name, arguments: written } = (called ?? {}) as Record<string, unknown>;
  return isString(id) && isString(name) && isString(written);
};

/** The required properties of the data of each kind. */
const SHAPES: Record<
  Exclude<Frame['kind'], 'unknown'> | 'error',
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
    throw badFrame('that is no JSON', cause);
  }
}

/** Undefined for an unknown kind without a position. Throws an AgentError for an invalid frame. */
export function parseFrame({
  event: name = 'message',
  id,
  data: json,
}: EventSourceMessage): Frame | ErrorFrame | undefined {
  const isKnown = Object.hasOwn(SHAPES, name);
  if (!id) {
    if (isKnown) throw badFrame(`without an id (${name})`);
    return undefined;
  }
  const data = parseData(json);
  if (!isKnown) return { kind: 'unknown', name, id, data };
  const kind = name as keyof typeof SHAPES;
  const isObject = typeof data === 'object' && data !== null;
  if (!isObject || !SHAPES[kind](data as Record<string, unknown>))
    throw badFrame(`of a wrong shape (${name})`);
  return { kind, id, data } as Frame | ErrorFrame;
}

const BOUNDARIES = new Set<string>(['turn.requires_action', 'turn.completed', 'turn.cancelled', 'error']);

/** Whether it is the last frame of a response. A response that ends without one was interrupted. */
export const isBoundary = ({ kind }: { kind: string }) => BOUNDARIES.has(kind);

export { AgentClient, type AgentClientOptions } from './client.ts';
export { AgentError, type AgentErrorDetails } from './http/agent-error.ts';
export { type RetryOptions } from './http/retry.ts';
export { type TokenSource } from './http/transport.ts';
export {
  type NewSession,
  type OpenTurn,
  type Session,
  type SessionDetail,
  type ToolDefinition,
} from './sessions.ts';
export { type SessionListOptions, type SessionPage, type Sessions } from './sessions.ts';
export {
  type AgentEvent,
  type AssistantEvent,
  type AssistantMessage,
  type NewEvent,
  type TokenUsage,
  type ToolCall,
  type ToolCallResult,
  type ToolCalls,
  type ToolEvent,
  type ToolResult,
  type TurnCancelled,
  type TurnFailed,
  type TurnStatus,
  type UserEvent,
  type UserMessage,
} from './events/event.ts';
export { type EventListOptions, type EventPage, type Events, type SendOptions } from './events/events.ts';
export {
  type Delta,
  type StreamEvent as StreamEvent,
  type RequiresAction,
  type ToolCallEvent as ToolCallEvent,
  type TurnCancelledEvent as TurnCancelledEvent,
  type TurnCompleted,
  type TurnStarted,
  type UnknownEvent as UnknownEvent,
} from './stream/stream-event.ts';
export { type Outcome, type TurnStream } from './stream/turn-stream.ts';
export { type ToolContext, type ToolHandler, type ToolHandlers } from './tool-handlers.ts';
export { type RunOptions } from './tool-loop.ts';

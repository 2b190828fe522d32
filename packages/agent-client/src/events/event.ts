/** A function call of the model. `arguments` is the JSON that the model wrote; it may be invalid. */
export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface ToolCallResult {
  tool_call_id: string;
  content: string;
  is_error?: boolean;
}

/** A message of the user. `content`: 1 to 262,144 characters. */
export interface UserEvent {
  role: 'user';
  content: string;
}

/** An answer that the caller brings along: it is stored, and no model is called. */
export interface AssistantEvent {
  role: 'assistant';
  content: string;
}

/** At least one tool result. The turn continues when all its tool calls have results. */
export interface ToolEvent {
  role: 'tool';
  content?: string;
  tool_calls?: ToolCall[];
  tool_call_results: ToolCallResult[];
}

export type NewEvent = UserEvent | AssistantEvent | ToolEvent;

export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** The status of a turn; the last three are final. */
export type TurnStatus = 'queued' | 'running' | 'requires_action' | 'completed' | 'failed' | 'cancelled';

interface Stored {
  /** `evt_…` */
  id: string;
  session_id: string;
  /** Counted from 1 within the session, without gaps. */
  seq: number;
  content: string;
  turn_id: string;
  /** ISO 8601, UTC. */
  created_at: string;
}

export interface UserMessage extends Stored {
  type: 'message';
  role: 'user';
  /** The current status of its turn. */
  status: TurnStatus;
}

export interface AssistantMessage extends Stored {
  type: 'message';
  role: 'assistant';
  /** `incomplete`: the turn ended before the message was complete. */
  status: 'completed' | 'incomplete';
  finish_reason?: string;
  usage?: TokenUsage;
  /** The call of the model in the request log of the account. */
  request_id?: string;
}

/** `content` may be empty. */
export interface ToolCalls extends Stored {
  type: 'tool_calls';
  role: 'assistant';
  tool_calls: ToolCall[];
  status: 'completed' | 'incomplete';
  finish_reason?: string;
  usage?: TokenUsage;
  /** The call of the model in the request log of the account. */
  request_id?: string;
}

export interface ToolResult extends Stored {
  type: 'tool_result';
  role: 'tool';
  tool_calls?: ToolCall[];
  tool_call_results: ToolCallResult[];
  status: TurnStatus;
}

/** `content` is empty. */
export interface TurnFailed extends Stored {
  type: 'turn.failed';
  role: 'assistant';
  status: 'failed';
  error: { code: string; message: string; retryable: boolean };
  /** The call of the model that broke off, in the request log of the account. */
  request_id?: string;
}

/** `content` is empty. */
export interface TurnCancelled extends Stored {
  type: 'turn.cancelled';
  role: 'assistant';
  status: 'cancelled';
  /** Why, for people. */
  reason?: string;
  /** The call of the model that broke off, in the request log of the account. */
  request_id?: string;
}

/** An event of a session, distinguished by `type` and `role`. */
export type AgentEvent = UserMessage | AssistantMessage | ToolCalls | ToolResult | TurnFailed | TurnCancelled;

/** A call of a function by the model; `arguments` is the JSON the model wrote, which may be broken. */
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

/** What the caller says; `content`: 1…262144 characters. */
export interface UserEvent {
  role: 'user';
  content: string;
}

/** At least one result; the turn goes on when every call it waits for is answered. */
export interface ToolEvent {
  role: 'tool';
  content?: string;
  tool_calls?: ToolCall[];
  tool_call_results: ToolCallResult[];
}

export type NewEvent = UserEvent | ToolEvent;

export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** How far a turn is; the last three are final. */
export type TurnStatus = 'queued' | 'running' | 'requires_action' | 'completed' | 'failed' | 'cancelled';

interface Stored {
  /** `evt_…` */
  id: string;
  session_id: string;
  /** From 1 on, without gaps within its session. */
  seq: number;
  content: string;
  turn_id: string;
  /** ISO 8601, UTC. */
  created_at: string;
}

export interface UserMessage extends Stored {
  type: 'message';
  role: 'user';
  /** Of its turn, now. */
  status: TurnStatus;
}

export interface AssistantMessage extends Stored {
  type: 'message';
  role: 'assistant';
  /** `incomplete`: broken off. */
  status: 'completed' | 'incomplete';
  finish_reason?: string;
  usage?: TokenUsage;
}

/** `content` may be empty. */
export interface ToolCalls extends Stored {
  type: 'tool_calls';
  role: 'assistant';
  tool_calls: ToolCall[];
  status: 'completed' | 'incomplete';
  finish_reason?: string;
  usage?: TokenUsage;
}

export interface ToolResult extends Stored {
  type: 'tool_result';
  role: 'tool';
  tool_calls?: ToolCall[];
  tool_call_results: ToolCallResult[];
  status: TurnStatus;
}

export interface TurnFailed extends Stored {
  type: 'turn.failed';
  role: 'assistant';
  status: 'failed';
  error: { code: string; message: string; retryable: boolean };
}

export interface TurnCancelled extends Stored {
  type: 'turn.cancelled';
  role: 'assistant';
  status: 'cancelled';
}

/** What a session has kept, told apart by `type` and `role`. */
export type AgentEvent = UserMessage | AssistantMessage | ToolCalls | ToolResult | TurnFailed | TurnCancelled;

import { type TurnStatus } from '../events/event.ts';

/** A function that the model may call; `parameters` is a JSON Schema. */
export interface ToolDefinition {
  type: 'function';
  function: {
    name: string;
    description?: string;
    parameters?: Record<string, unknown>;
    strict?: boolean | null;
  };
}

export interface NewSession {
  /** 1 to 128 characters of `[A-Za-z0-9._:-]`. Default: the service generates one. */
  id?: string;
  /** Default: the default model of the service. */
  model?: string;
  system?: string;
  tools?: ToolDefinition[];
  metadata?: Record<string, string>;
}

export interface Session {
  id: string;
  model: string;
  system: string | null;
  tools: ToolDefinition[];
  metadata: Record<string, string>;
  /** ISO 8601, UTC. */
  created_at: string;
  /** The `seq` of its newest event; 0 if it has none. */
  last_seq: number;
}

export interface OpenTurn {
  id: string;
  status: Extract<TurnStatus, 'queued' | 'running' | 'requires_action'>;
}

/** A session with its open turns. */
export interface SessionDetail extends Session {
  /** In the order of execution. */
  open_turns: OpenTurn[];
}

/** Below the API path of the client. */
export const SESSIONS_PATH = '/sessions';

export const sessionPath = (sessionId: string) => `${SESSIONS_PATH}/${encodeURIComponent(sessionId)}`;

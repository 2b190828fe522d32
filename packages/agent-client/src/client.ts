import { type NewEvent } from './events/event.ts';
import { Events, type SendOptions } from './events/events.ts';
import { DEFAULT_RETRY, type RetryOptions } from './http/retry.ts';
import { Transport } from './http/transport.ts';
import { Sessions } from './sessions/sessions.ts';
import { TurnFollower } from './stream/turn-follower.ts';
import { TurnStream } from './stream/turn-stream.ts';
import { type RunOptions, streamingCall, toolLoop } from './tool-loop/tool-loop.ts';

/** Three heartbeats of the service. */
const DEFAULT_SILENCE_MS = 45_000;

export interface AgentClientOptions {
  /** Where the service is: what comes before `/v1/agents`. */
  baseUrl: string;
  /** Without one nothing is sent: a page goes through a server of its own that adds the key. */
  apiKey?: string;
  /** In place of the global one. */
  fetch?: typeof globalThis.fetch;
  /** How long the service may be silent before a connection counts as lost; 45 s by default. */
  silenceMs?: number;
  retry?: Partial<RetryOptions>;
}

/** The agent service. Every call throws an AgentError, or its `signal`'s reason. */
export class AgentClient {
  readonly sessions: Sessions;
  readonly events: Events;
  private readonly transport: Transport;

  constructor({ silenceMs = DEFAULT_SILENCE_MS, retry, ...options }: AgentClientOptions) {
    this.transport = new Transport({ ...options, silenceMs, retry: { ...DEFAULT_RETRY, ...retry } });
    this.sessions = new Sessions(this.transport);
    this.events = new Events(this.transport);
  }

  /** Sends an event and shows its turn, whatever happens to the connection. */
  stream(sessionId: string, event: NewEvent, options: SendOptions = {}): TurnStream {
    const start = streamingCall(sessionId, event, options);
    const follower = new TurnFollower(this.transport, { sessionId, start, signal: options.signal });
    return new TurnStream(follower.frames());
  }

  /**
   * Shows what comes after that position (a stream's `position`): the rest of its turn, or the next turn. Without a
   * position: the first open turn from its beginning, else the latest one. Ends at once when there is nothing.
   */
  resume(sessionId: string, after?: string, { signal }: { signal?: AbortSignal } = {}): TurnStream {
    return new TurnStream(new TurnFollower(this.transport, { sessionId, after, signal }).frames());
  }

  /** Sends a message and shows its turn, answering the model's calls with these tools until the turn ends. */
  run(sessionId: string, content: string, options: RunOptions): TurnStream {
    return new TurnStream(toolLoop(this.transport, sessionId, content, options));
  }

  /** Cancels every open turn of the session and returns their ids. */
  cancel(sessionId: string, options?: { signal?: AbortSignal }): Promise<string[]> {
    return this.sessions.cancel(sessionId, options);
  }
}

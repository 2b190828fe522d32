import { type NewEvent } from './events/event.ts';
import { Events, type SendOptions } from './events/events.ts';
import { DEFAULT_RETRY, type RetryOptions } from './http/retry.ts';
import { type TokenSource, Transport } from './http/transport.ts';
import { Sessions } from './sessions.ts';
import { TurnFollower } from './stream/turn-follower.ts';
import { TurnStream } from './stream/turn-stream.ts';
import { type RunOptions, streamingCall, toolLoop } from './tool-loop.ts';

/** The time of three heartbeats of the service. */
const DEFAULT_SILENCE_MS = 45_000;

const DEFAULT_API_PATH = '/v1/agents';

export interface AgentClientOptions {
  /** The URL of the service, without the API path. */
  baseUrl: string;
  /** Path of the API below the base URL. Default: `/v1/agents`. The console has it at `/api/agents`. */
  apiPath?: string;
  /** Omit it in a browser, whose requests go through a server that adds the key. */
  apiKey?: string;
  /**
   * In place of `apiKey`: returns the bearer token of each request, such as that of a session. After a 401 it is called once more
   * with the refused token; if it returns another one, the request is sent again. An AgentError that it throws ends the call, any
   * other error counts as a lost connection.
   */
  token?: TokenSource;
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Milliseconds without any byte after which a connection counts as lost. Default: 45,000. */
  silenceMs?: number;
  retry?: Partial<RetryOptions>;
}

/** A client of the agent service. Every call rejects with an AgentError, or with the reason of its `signal`. */
export class AgentClient {
  readonly sessions: Sessions;
  readonly events: Events;
  private readonly transport: Transport;

  constructor({
    silenceMs = DEFAULT_SILENCE_MS,
    apiPath = DEFAULT_API_PATH,
    retry,
    ...options
  }: AgentClientOptions) {
    this.transport = new Transport({ ...options, apiPath, silenceMs, retry: { ...DEFAULT_RETRY, ...retry } });
    this.sessions = new Sessions(this.transport);
    this.events = new Events(this.transport);
  }

  /** Sends an event and streams its turn. Reconnects when the connection is lost. */
  stream(sessionId: string, event: NewEvent, options: SendOptions = {}): TurnStream {
    const start = streamingCall(sessionId, event, options);
    const follower = new TurnFollower(this.transport, { sessionId, start, signal: options.signal });
    return new TurnStream(follower.events());
  }

  /**
   * Streams what follows a position (a stream's `position`): the rest of its turn, or the next turn. Without a
   * position: the first open turn from its start, otherwise the latest turn. Ends at once if there is none.
   */
  resume(sessionId: string, after?: string, { signal }: { signal?: AbortSignal } = {}): TurnStream {
    return new TurnStream(new TurnFollower(this.transport, { sessionId, after, signal }).events());
  }

  /** Sends a message and streams its turn. Answers the model's tool calls with these tools until the turn ends. */
  run(sessionId: string, content: string, options: RunOptions): TurnStream {
    return new TurnStream(toolLoop(this.transport, sessionId, content, options));
  }

  /** Cancels every open turn of the session and returns their ids. */
  cancel(sessionId: string, options?: { signal?: AbortSignal }): Promise<string[]> {
    return this.sessions.cancel(sessionId, options);
  }
}

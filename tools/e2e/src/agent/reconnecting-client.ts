import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentClient, AgentError, type TurnStream } from '@inference/agent-client';
import { endsResponse, readStreamEvents, type SeenStreamEvent, textOf } from './agent-calls';
import { seededRandom } from '../load/random';

/** A placeholder, which is replaced by the address of a replica. */
const ANY_REPLICA = 'http://agent.invalid';
const RESUME_MILLIS = 30;
/** The share of requests that are aborted before the response. */
const IMPATIENT = 0.2;
/** Statuses after which the plain client retries. */
const RETRIED = new Set([503]);
/** Error names of a connection that breaks, and of one that the client aborts. */
const BREAKS = new Set(['TypeError', 'TimeoutError']);

/** A turn, as a client has received it. */
export interface SeenTurn {
  content: string;
  text: string;
  outcome: 'completed' | 'failed';
  /** The ids of its events, in the order of arrival. */
  ids: string[];
  /** The error of a failed turn. */
  error?: { code: string; retryable: boolean };
}

/** Connections to random replicas that break at random moments: before, during and after the response. */
export class UnreliableConnections {
  /** The number of resumed streams. */
  resumes = 0;
  /** The number of responses by status. */
  readonly statuses = new Map<number, number>();
  private readonly random: () => number;
  private closed = false;

  constructor(
    private readonly urls: readonly string[],
    private readonly lifeMillis: number,
    seed: number,
  ) {
    this.random = seededRandom(seed);
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (this.closed) throw new AgentError('Nobody listens any more.');
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const replica = this.urls[Math.floor(this.random() * this.urls.length)]!;
    const leaving = new AbortController();
    const leave = () => leaving.abort(new DOMException('The client has left.', 'TimeoutError'));
    const leaveSoon = () => setTimeout(leave, this.random() * this.lifeMillis).unref();
    // Most connections break after the start of the response, so that even a slow machine makes progress.
    const isImpatient = this.random() < IMPATIENT;
    if (isImpatient) leaveSoon();
    const signal = init?.signal ? AbortSignal.any([leaving.signal, init.signal]) : leaving.signal;
    const response = await fetch(`${replica}${pathname}${search}`, { ...init, signal });
    if (!isImpatient) leaveSoon();
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    if (response.status === 200 && new Headers(init?.headers).has('Last-Event-ID')) this.resumes++;
    return response;
  };

  /** Aborts all connections. */
  close(): void {
    this.closed = true;
  }
}

export interface ReconnectingClient {
  /** Sends a message and reads its turn to the end. Reconnects whenever the connection is lost. */
  say(sessionId: string, content: string): Promise<SeenTurn>;
}

/** A client without the client package: implements the protocol with a parser of event streams. */
export class PlainClient implements ReconnectingClient {
  constructor(
    private readonly connections: UnreliableConnections,
    private readonly apiKey: string,
  ) {}

  async say(sessionId: string, content: string): Promise<SeenTurn> {
    const events: SeenStreamEvent[] = [];
    const start = {
      method: 'POST',
      body: JSON.stringify({ role: 'user', content }),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    };
    for (;;) {
      const last = events.at(-1);
      if (last && endsResponse(last)) return this.seen(content, events, last);
      const resumption = { method: 'GET', headers: { 'Last-Event-ID': last?.id ?? '' } };
      const refusal = await this.read(sessionId, last ? resumption : start, events);
      if (refusal) throw new Error(`${sessionId} after ${last?.id}: ${refusal}`);
    }
  }

  /** Reads until the connection is lost. Returns the reason if a retry is useless. */
  private async read(
    sessionId: string,
    { headers, ...init }: RequestInit,
    events: SeenStreamEvent[],
  ): Promise<string | null> {
    try {
      const response = await this.connections.fetch(
        `${ANY_REPLICA}/v1/agents/sessions/${sessionId}/events/stream`,
        {
          ...init,
          headers: { Authorization: `ApiKey ${this.apiKey}`, ...(headers as Record<string, string>) },
        },
      );
      if (response.status !== 200 && !RETRIED.has(response.status))
        return `${response.status} ${await response.text()}`;
      if (response.status === 200) await readStreamEvents(response, (event) => events.push(event));
    } catch (error) {
      if (!BREAKS.has((error as Error).name)) throw error;
    }
    await sleep(RESUME_MILLIS);
    return null;
  }

  private seen(content: string, events: SeenStreamEvent[], { event, data }: SeenStreamEvent): SeenTurn {
    const ids = events.map(({ id }) => id);
    const turn = { content, text: textOf(events), ids };
    if (event === 'turn.completed') return { ...turn, outcome: 'completed' };
    if (event !== 'error') throw new Error(`The turn ended with ${event}.`);
    const { code, retryable } = data as { code: string; retryable: boolean };
    return { ...turn, outcome: 'failed', error: { code, retryable } };
  }
}

/** A client with the client package, which resumes by itself. */
export class PackagedClient implements ReconnectingClient {
  private readonly client: AgentClient;

  constructor(connections: UnreliableConnections, apiKey: string) {
    this.client = new AgentClient({
      baseUrl: ANY_REPLICA,
      apiKey,
      fetch: connections.fetch,
      retry: { maxFailures: 1_000, baseDelayMs: RESUME_MILLIS },
    });
  }

  async say(sessionId: string, content: string): Promise<SeenTurn> {
    const stream = this.client.stream(sessionId, { role: 'user', content });
    const ids: string[] = [];
    try {
      for await (const { id } of stream) ids.push(id);
      return { content, text: stream.text, outcome: 'completed', ids };
    } catch (error) {
      if (!(error instanceof AgentError) || stream.outcome !== 'failed') throw error;
      return { ...this.failed(stream, ids, error), content };
    }
  }

  private failed(stream: TurnStream, ids: string[], { code = '', retryable }: AgentError) {
    return {
      text: stream.text,
      outcome: 'failed' as const,
      ids: [...ids, stream.position!],
      error: { code, retryable },
    };
  }
}

import { createParser } from 'eventsource-parser';

/** A received event of a turn's stream. */
export interface SeenStreamEvent {
  event: string;
  id: string;
  data: Record<string, unknown>;
}

/** The properties of a session event that the tests read. */
export interface SeenEvent {
  id: string;
  seq: number;
  type: string;
  role: string;
  content: string;
  turn_id: string;
  status: string;
  usage?: { prompt_tokens: number; completion_tokens: number };
  error?: { code: string; message: string; retryable: boolean };
}

/** Types of the last event of a complete response. */
const FINAL_TYPES = new Set(['turn.requires_action', 'turn.completed', 'turn.cancelled', 'error']);

export const endsResponse = ({ event }: { event: string }) => FINAL_TYPES.has(event);

export const textOf = (events: readonly SeenStreamEvent[]) =>
  events.flatMap(({ event, data }) => (event === 'delta' ? [data.content as string] : [])).join('');

/** Calls back for each complete event. Rejects if the connection breaks. */
export async function readStreamEvents(
  response: Response,
  onEvent: (event: SeenStreamEvent) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ event = '', id = '', data }) =>
      onEvent({ event, id, data: JSON.parse(data) as SeenStreamEvent['data'] }),
  });
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
  }
}

/** A stream that is read in the background. */
export class OpenStream {
  readonly events: SeenStreamEvent[] = [];
  /** Rejects if the connection breaks. */
  readonly end: Promise<void>;

  constructor(response: Response) {
    this.end = readStreamEvents(response, (event) => this.events.push(event));
    this.end.catch(() => undefined);
  }

  get text(): string {
    return textOf(this.events);
  }
}

/** A client of one replica of the agent service with one API key. */
export class AgentCaller {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.url}/v1/agents/sessions${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.apiKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Status and JSON body of a response. */
  async ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const response = await this.call(method, path, body);
    return { status: response.status, body: await response.json() };
  }

  /** Posts a message whose turn runs in the background. */
  async post(sessionId: string, content: string, query = ''): Promise<SeenEvent> {
    const { status, body } = await this.ask('POST', `/${sessionId}/events${query}`, {
      role: 'user',
      content,
    });
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body as SeenEvent;
  }

  stream(sessionId: string, content: string, query = ''): Promise<OpenStream> {
    return this.open('POST', `/${sessionId}/events/stream${query}`, { role: 'user', content });
  }

  /** Streams what follows an event, by default the current turn. */
  resume(sessionId: string, after?: string): Promise<OpenStream> {
    const headers: Record<string, string> = after === undefined ? {} : { 'Last-Event-ID': after };
    return this.open('GET', `/${sessionId}/events/stream`, undefined, headers);
  }

  /** All events, ordered by `seq`. */
  async events(sessionId: string): Promise<SeenEvent[]> {
    const events: SeenEvent[] = [];
    for (;;) {
      const path = `/${sessionId}/events?limit=100&after=${events.at(-1)?.seq ?? 0}`;
      const { status, body } = await this.ask('GET', path);
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
      const page = body as { events: SeenEvent[]; has_more: boolean };
      events.push(...page.events);
      if (!page.has_more) return events;
    }
  }

  private async open(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<OpenStream> {
    const response = await this.call(method, path, body, headers);
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return new OpenStream(response);
  }
}

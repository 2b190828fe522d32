import { AgentError, refusalOf } from './agent-error.ts';
import { Connection } from './connection.ts';
import { Patience, type RetryOptions } from './retry.ts';

/** Statuses after which nothing has been done. */
const REFUSED_BEFORE_ANYTHING = new Set([429, 503]);

export interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL, with its variable parts encoded. */
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
}

interface JsonCall extends Call {
  /** False: may be sent once more only when the service has said that it did nothing. */
  isRepeatable?: boolean;
  /** A status that is a success when the call is repeated, because the one before may have come through. */
  doneOnRepeat?: number;
}

/** A call as fetch takes it. */
export interface Prepared {
  url: string;
  init: { method: string; headers: Headers; body: string | undefined };
}

interface TransportOptions {
  baseUrl: string;
  apiKey?: string;
  fetch?: typeof globalThis.fetch;
  silenceMs: number;
  retry: RetryOptions;
}

function checkedBaseUrl(baseUrl: string): string {
  const { protocol } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol)) throw new TypeError('baseUrl must be an http or https URL.');
  return baseUrl.replace(/\/+$/, '');
}

/** Checked here, because what fetch says about a header shows its value. */
function checkedKey(apiKey: string | undefined): string | undefined {
  if (apiKey === undefined || /^[!-~]+$/.test(apiKey)) return apiKey;
  throw new TypeError('apiKey must be printable ASCII without spaces or line breaks.');
}

/** Whether each part of it stays what it is: a URL takes `.` and `..` for directions, and the path of no id is another. */
const isKept = (path: string) =>
  path
    .slice(1)
    .split('/')
    .every((part) => !['', '.', '..'].includes(part));

function queryOf(parameters: Call['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) given.set(name, String(value));
  const query = given.toString();
  return query === '' ? '' : `?${query}`;
}

export class Transport {
  readonly silenceMs: number;
  readonly retry: RetryOptions;
  private readonly baseUrl: string;
  /** Private to the language too, so that a client that is logged does not show it. */
  readonly #apiKey: string | undefined;
  private readonly fetch: typeof globalThis.fetch;

  constructor(options: TransportOptions) {
    this.baseUrl = checkedBaseUrl(options.baseUrl);
    this.#apiKey = checkedKey(options.apiKey);
    // Called on its own, a browser's fetch throws.
    this.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.silenceMs = options.silenceMs;
    this.retry = options.retry;
  }

  /** Throws a TypeError for what cannot be sent at all, an Idempotency-Key with a line break for one. */
  prepare({ method, path, query, headers, body }: Call): Prepared {
    if (!isKept(path)) throw new TypeError('An id must not be empty, and neither . nor ..');
    const sent = new Headers(headers);
    if (this.#apiKey !== undefined) sent.set('authorization', `Bearer ${this.#apiKey}`);
    if (body !== undefined) sent.set('content-type', 'application/json');
    const init = { method, headers: sent, body: body === undefined ? undefined : JSON.stringify(body) };
    return { url: `${this.baseUrl}${path}${queryOf(query)}`, init };
  }

  /** One attempt; throws an AgentError for a refusal, and whatever fetch throws. */
  async open({ url, init }: Prepared, connection: Connection): Promise<Response> {
    const response = await connection.awaited(this.fetch(url, { ...init, signal: connection.signal }));
    if (!response.ok) throw await connection.awaited(refusalOf(response));
    return response;
  }

  /** The parsed answer, undefined when it has no body; passing faults are tried again (spec: Errors). */
  async json<T>(call: JsonCall, signal?: AbortSignal): Promise<T> {
    const patience = new Patience(this.retry, signal);
    const prepared = this.prepare({ ...call, headers: { accept: 'application/json', ...call.headers } });
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        return await this.attempt<T>(prepared, signal);
      } catch (error) {
        const status = error instanceof AgentError ? error.status : undefined;
        if (isRepeated && status !== undefined && status === call.doneOnRepeat) return undefined as T;
        const mayRepeat = (call.isRepeatable ?? true) || REFUSED_BEFORE_ANYTHING.has(status ?? 0);
        await (mayRepeat ? patience : this.noPatience(signal)).afterFailure(error);
      }
    }
  }

  private noPatience(signal?: AbortSignal): Patience {
    return new Patience({ ...this.retry, maxFailures: 1 }, signal);
  }

  private async attempt<T>(prepared: Prepared, signal?: AbortSignal): Promise<T> {
    const connection = new Connection(this.silenceMs, signal);
    try {
      const response = await this.open(prepared, connection);
      const body = await connection.awaited(response.text());
      return (response.status === 204 ? undefined : parseAnswer(body)) as T;
    } finally {
      connection.close();
    }
  }
}

function parseAnswer(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new AgentError('The answer is no JSON.', { code: 'bad_answer', cause });
  }
}

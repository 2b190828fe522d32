import { AgentError, refusalOf } from './agent-error.ts';
import { Connection } from './connection.ts';
import { RetryBackoff, type RetryOptions } from './retry.ts';

/** Statuses of requests that had no effect. */
const REFUSED_BEFORE_ANYTHING = new Set([429, 503]);

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path below the API path, with encoded variable parts. */
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
}

interface JsonCall extends Call {
  /** False if the request may be repeated only after a status that says that it had no effect. */
  isRepeatable?: boolean;
  /** A status that counts as success for a repeated request, because the first one may have taken effect. */
  doneOnRepeat?: number;
}

/** The arguments of `fetch`. */
export interface Prepared {
  url: string;
  init: { method: string; headers: Headers; body: string | undefined };
}

/** Returns the bearer token of a request. `refused`: the token that the service has just answered with 401. */
export type TokenSource = (refused?: string) => string | Promise<string>;

interface TransportOptions {
  baseUrl: string;
  apiPath: string;
  apiKey?: string;
  token?: TokenSource;
  fetch?: typeof globalThis.fetch;
  silenceMs: number;
  retry: RetryOptions;
}

const UNAUTHORIZED = 401;

function checkedBaseUrl(baseUrl: string): string {
  const { protocol } = new URL(baseUrl);
  if (!/^https?:$/.test(protocol)) throw new TypeError('baseUrl must be an http or https URL.');
  return baseUrl.replace(/\/+$/, '');
}

/** Checks a credential, because the error message of `fetch` for an invalid header shows its value. */
function checkedSecret(name: string, secret: string): string {
  if (/^[!-~]+$/.test(secret)) return secret;
  throw new TypeError(`${name} must be printable ASCII without spaces or line breaks.`);
}

function checkedApiPath(apiPath: string): string {
  if (/^(\/[\w.~-]+)*$/.test(apiPath) && isKept(`${apiPath}/x`)) return apiPath;
  throw new TypeError('apiPath must be a path such as /v1/agents, without a slash at the end.');
}

/** False for a path with a segment that is empty, `.` or `..`: URL normalization would change it. */
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
  private readonly root: string;
  /** A private field, so that a logged client does not show the key. */
  readonly #apiKey: string | undefined;
  readonly #token: TokenSource | undefined;
  private readonly fetch: typeof globalThis.fetch;

  constructor(options: TransportOptions) {
    const { apiKey, token } = options;
    if (apiKey !== undefined && token) throw new TypeError('Either apiKey or token can be given.');
    this.root = checkedBaseUrl(options.baseUrl) + checkedApiPath(options.apiPath);
    this.#apiKey = apiKey === undefined ? undefined : checkedSecret('apiKey', apiKey);
    this.#token = token;
    // In browsers `fetch` throws unless it is called as a method of the global object.
    this.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.silenceMs = options.silenceMs;
    this.retry = options.retry;
  }

  /** Throws a TypeError if the request is invalid, for example if a header contains a line break. */
  prepare({ method, path, query, headers, body }: Call): Prepared {
    if (!isKept(path)) throw new TypeError('An id must not be empty, and neither . nor ..');
    const sent = new Headers(headers);
    if (this.#apiKey !== undefined) sent.set('authorization', `Bearer ${this.#apiKey}`);
    if (body !== undefined) sent.set('content-type', 'application/json');
    const init = { method, headers: sent, body: body === undefined ? undefined : JSON.stringify(body) };
    return { url: `${this.root}${path}${queryOf(query)}`, init };
  }

  /** Makes one attempt. Rejects with an AgentError for an error status, and with the errors of `fetch`. */
  async open(prepared: Prepared, connection: Connection): Promise<Response> {
    const response = await this.send(prepared, connection);
    if (!response.ok) throw await connection.awaited(refusalOf(response));
    return response;
  }

  /** A request whose token is refused had no effect, so it is sent again if there is another token. */
  private async send({ url, init }: Prepared, connection: Connection): Promise<Response> {
    const { signal } = connection;
    if (!this.#token) return connection.awaited(this.fetch(url, { ...init, signal }));
    let token = await this.readToken(connection);
    for (let isRepeated = false; ; isRepeated = true) {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${token}`);
      const response = await connection.awaited(this.fetch(url, { ...init, headers, signal }));
      if (response.status !== UNAUTHORIZED || isRepeated) return response;
      const next = await this.readToken(connection, token);
      if (next === token) return response;
      await response.body?.cancel();
      token = next;
    }
  }

  private async readToken(connection: Connection, refused?: string): Promise<string> {
    return checkedSecret('token', await connection.awaited(Promise.resolve(this.#token!(refused))));
  }

  /** The JSON of the response, undefined if it has no body. Retries temporary errors (spec: Errors). */
  async json<T>(call: JsonCall, signal?: AbortSignal): Promise<T> {
    const patience = new RetryBackoff(this.retry, signal);
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

  private noPatience(signal?: AbortSignal): RetryBackoff {
    return new RetryBackoff({ ...this.retry, maxFailures: 1 }, signal);
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

import { rememberAnswer, rememberRequest } from '@inference/testing';
import { parse } from 'lossless-json';

export interface ConsoleAnswer {
  status: number;
  /** Numbers are kept digit by digit; `undefined` for an empty body. */
  body: unknown;
  /** The session cookie of the response, as a Cookie header. */
  cookie: string | null;
}

/** One call of the console's API. */
export async function askConsole(
  consoleUrl: string,
  method: string,
  path: string,
  options: { token?: string; json?: unknown } = {},
): Promise<ConsoleAnswer> {
  const headers: Record<string, string> = {
    ...(options.json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
  };
  rememberRequest(path, headers, options.json);
  const response = await fetch(consoleUrl + path, {
    method,
    headers,
    ...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
  });
  const text = await response.text();
  const body: unknown = text === '' ? undefined : parse(text);
  rememberAnswer(response.headers, body);
  const [cookie = null] = response.headers
    .getSetCookie()
    .filter((line) => /^(__(Host|Secure)-)?session=[^;]/.test(line))
    .map((line) => line.split(';')[0]!);
  return { status: response.status, body, cookie };
}

/** Returns the body of a response. Throws unless it has this status. */
export async function consoleBody<T>(
  consoleUrl: string,
  method: string,
  path: string,
  options: { token?: string; json?: unknown; status?: number } = {},
): Promise<T> {
  const { status, body } = await askConsole(consoleUrl, method, path, options);
  if (status !== (options.status ?? 200)) {
    throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
  }
  return body as T;
}

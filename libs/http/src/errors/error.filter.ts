import { isDatabaseUnavailable } from '@inference/database';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  type HttpExceptionOptions,
} from '@nestjs/common';
import { type Request, type Response } from 'express';
import { logFailure } from '../logging/request-logger';

/** An error with further members for programs: the body is `{error, ...details}`. The message is shown for every status, also 5xx. */
export class DetailedException extends HttpException {
  constructor(
    status: number,
    message: string,
    readonly details: Record<string, unknown>,
    readonly headers?: Record<string, string>,
    options?: HttpExceptionOptions,
  ) {
    super(message, status, options);
  }
}

/** 429 with `Retry-After` in seconds, and optional further headers that describe the limit. */
export class TooManyRequestsException extends HttpException {
  readonly headers: Record<string, string>;

  constructor(message: string, retryAfterSeconds: number, headers: Record<string, string> = {}) {
    super(message, 429);
    this.headers = { ...headers, 'Retry-After': String(retryAfterSeconds) };
  }
}

/** `Retry-After` of a 503 that may end soon: another replica, or this one, may answer after a second. */
export const RETRY_AFTER_ONE_SECOND = { 'Retry-After': '1' };

/** 503 with a code for programs and `Retry-After: 1`. */
export class UnavailableException extends DetailedException {
  /** @param code does not change between versions; clients branch on it */
  constructor(
    message: string,
    code: string,
    headers?: Record<string, string>,
    options?: HttpExceptionOptions,
  ) {
    super(503, message, { code }, { ...RETRY_AFTER_ONE_SECOND, ...headers }, options);
  }
}

/** What a client learns of an error. */
export interface DescribedError {
  status: number;
  message: string;
  headers?: Record<string, string>;
  /** Further members of the body, for programs. */
  details?: Record<string, unknown>;
}

const DATABASE_UNAVAILABLE: DescribedError = {
  status: 503,
  message: 'database unavailable',
  headers: RETRY_AFTER_ONE_SECOND,
  details: { code: 'database_unavailable' },
};
const INTERNAL: DescribedError = { status: 500, message: 'internal server error' };

/** PostgreSQL refused a text of the request, such as a path with %00 (character_not_in_repertoire). */
function isUnstorableText(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '22021';
}

function messageOf(exception: HttpException): string {
  const body = exception.getResponse();
  if (typeof body === 'string') return body;
  const { message } = body as { message?: unknown };
  return Array.isArray(message) ? message.join('; ') : String(message ?? exception.message);
}

/** Maps anything thrown to a status and a message that reveals no internals. Filters of all body formats use it. */
export function describeError(error: unknown, request: Request): DescribedError {
  const described = describe(error, request);
  // The guard has set the schemes of the route. The 401 of a public route, such as a login, is answered with a session as Bearer.
  if (described.status === 401 && !request.res?.hasHeader('WWW-Authenticate'))
    described.headers = { 'WWW-Authenticate': 'Bearer', ...described.headers };
  return described;
}

function describe(error: unknown, request: Request): DescribedError {
  if (error instanceof DetailedException) {
    const { message, headers, details } = error;
    return { status: error.getStatus(), message, details, ...(headers && { headers }) };
  }
  if (error instanceof HttpException) {
    const status = error.getStatus();
    if (status === 404 && !request.route) return describeUnrouted(request);
    // Nest's error for a path that cannot be decoded; its message quotes the path.
    if (status === 400 && !request.route) return { status, message: 'the path is not valid' };
    return {
      status,
      message: status >= 500 && status !== 501 && status !== 503 ? INTERNAL.message : messageOf(error),
      ...(error instanceof TooManyRequestsException ? { headers: error.headers } : {}),
    };
  }
  if (isDatabaseUnavailable(error)) return DATABASE_UNAVAILABLE;
  if (isUnstorableText(error)) return { status: 400, message: 'the request must not contain NUL characters' };
  if (error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500) {
    // Express could not read the request. Its own message may quote it.
    return { status: error.status, message: 'the request could not be read' };
  }
  return INTERNAL;
}

function describeUnrouted(request: Request): DescribedError {
  const methods = allowedMethods(request);
  if (methods.length === 0) return { status: 404, message: 'not found' };
  return { status: 405, message: 'method not allowed', headers: { Allow: methods.join(', ') } };
}

/** Renders every error as `{error}` (spec: Errors). The cause of a 500 is logged and never shown. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** @param codesDatabase whether the 503 of a database that is away has a code beside the message */
  constructor(private readonly codesDatabase = true) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const request = http.getRequest<Request>();
    const described = describeError(error, request);
    const { status, message, headers } = described;
    const details = described === DATABASE_UNAVAILABLE && !this.codesDatabase ? {} : described.details;
    if (status >= 500 && status !== 501) logFailure(request, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response
      .status(status)
      .set(headers ?? {})
      .json({ error: message, ...details });
  }
}

interface RouterLayer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** Returns the methods of the routes that match the path; none for an unknown path. Distinguishes 405 from 404. */
function allowedMethods(request: Request): string[] {
  const { stack } = (request.app as unknown as { router: { stack: RouterLayer[] } }).router;
  const methods = new Set<string>();
  for (const layer of stack) {
    if (!layer.route || !layer.match(request.path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  methods.delete('_ALL');
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

import { isDatabaseUnavailable } from '@inference/database';
import { KeyRefusedException } from '@inference/guards';
import { describeError, logFailure } from '@inference/http';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { anthropicErrorBody, speaksAnthropic } from './anthropic-error';
import { GatewayError, openAiErrorBody, toOpenAiError } from './openai-error';

interface RouterLayer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** What is shown of a path; longer ones are cut. */
const MOST_PATH_CHARS = 200;
/** The routes of the API; others are for operators and browsers. */
const API = '/v1/';
/** Starts of paths that clients of other services add: their base URLs end with them. */
const FOREIGN_START = /^(\/(openai|anthropic|api))+(?=\/)/i;
/** Mistral's name of a completion with a text behind it. */
const FILL_IN = '/v1/fim/completions';

const routesOf = (request: Request): RouterLayer[] =>
  (request.app as unknown as { router: { stack: RouterLayer[] } }).router.stack.filter(({ route }) =>
    [route?.path].flat().some((path) => path?.startsWith(API)),
  );

/** The path that is most likely meant: one slash each, and one version behind the host. */
function intended(path: string): string {
  const plain = `/${path}`
    .replace(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '')
    .replace(FOREIGN_START, '');
  return plain.replace(/^(\/v1)*\/?/i, API);
}

/** Says that the gateway does not serve a method and path, and what to write instead or what there is. */
function describeUnknownUrl(request: Request): string {
  const { method } = request;
  const asked = `${method} ${request.path.slice(0, MOST_PATH_CHARS)} is not served here.`;
  const routes = routesOf(request);
  const path = intended(request.path);
  const methods = routes.filter((layer) => layer.match(path)).flatMap(methodsOf);
  if (methods.includes(method) && path !== request.path) return `${asked} Write ${method} ${path}.`;
  if (methods.length > 0) return `${asked} There is ${methods.map((name) => `${name} ${path}`).join(', ')}.`;
  if (path === FILL_IN) return `${asked} Write POST /v1/completions with prompt and suffix.`;
  const served = routes.flatMap((layer) =>
    methodsOf(layer).flatMap((name) => [layer.route!.path].flat().map((known) => `${name} ${known}`)),
  );
  return `${asked} There are ${[...new Set(served)].sort().join(', ')}.`;
}

const methodsOf = ({ route }: RouterLayer): string[] =>
  Object.keys(route!.methods).map((name) => name.toUpperCase());

const CODE_BY_STATUS: Record<number, string> = {
  401: 'invalid_api_key',
  404: 'unknown_url',
  405: 'method_not_allowed',
  413: 'request_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limit_exceeded',
};

/** Renders every error in the error body of OpenAI, or of Anthropic to its clients, so that the official SDKs understand it. */
@Catch()
export class OpenAiErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const { status, body, headers } = describeAnswer(error, request);
    if (status >= 500) logFailure(request, error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response
      .status(status)
      .set(headers ?? {})
      .json(speaksAnthropic(request) ? anthropicErrorBody(status, body.error, requestIdOf(response)) : body);
  }
}

/** The id in the log of calls, if the call is recorded there. */
function requestIdOf(response: Response): string | null {
  const id = response.getHeader('X-Inference-Request-Id');
  return typeof id === 'string' ? id : null;
}

/** What the client gets for an error, in OpenAI's body. */
export function describeAnswer(error: unknown, request: Request) {
  if (error instanceof GatewayError) return toOpenAiError(error);
  const { status, message: reason, headers, details } = describeError(error, request);
  const isUnrouted = !request.route && (status === 404 || status === 405);
  const message = isUnrouted ? describeUnknownUrl(request) : reason;
  return {
    status,
    body: openAiErrorBody(status, message, { code: codeOf(error, status, details) }),
    headers,
  };
}

function codeOf(error: unknown, status: number, details: Record<string, unknown> = {}): string | undefined {
  if (error instanceof KeyRefusedException) return error.code;
  if (typeof details.code === 'string') return details.code;
  return isDatabaseUnavailable(error) ? 'database_unavailable' : CODE_BY_STATUS[status];
}

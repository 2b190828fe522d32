import { isDatabaseUnavailable } from '@inference/database';
import { KeyRefusedException } from '@inference/guards';
import { describeError, logFailure } from '@inference/http';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { anthropicErrorBody, speaksAnthropic } from './anthropic-error';
import { describeUnknownUrl } from './unknown-url';
import { GatewayError, openAiErrorBody, toOpenAiError } from './openai-error';

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

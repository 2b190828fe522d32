import { HttpException } from '@nestjs/common';

interface OpenAiErrorDetails {
  /** Stable, for programs. */
  code: string;
  /** The field at fault. */
  param?: string;
  type?: string;
}

const TYPE_BY_STATUS: Record<number, string> = {
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** An error in OpenAI's shape: `{error: {message, type, param, code}}`. */
export class OpenAiError extends HttpException {
  constructor(status: number, message: string, details: Partial<OpenAiErrorDetails> = {}) {
    super(openAiErrorBody(status, message, details), status);
  }
}

export function openAiErrorBody(status: number, message: string, details: Partial<OpenAiErrorDetails> = {}) {
  const type =
    details.type ?? TYPE_BY_STATUS[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type, param: details.param ?? null, code: details.code ?? null } };
}

export const invalidRequest = (param: string, message: string) =>
  new OpenAiError(400, `${param}: ${message}`, { code: 'invalid_value', param });

export const modelNotFound = (model: string) =>
  new OpenAiError(404, `The model \`${model.slice(0, 200)}\` does not exist or is not offered here.`, {
    code: 'model_not_found',
    param: 'model',
  });

export const modelNotAllowed = (model: string) =>
  new OpenAiError(403, `This API key may not use the model \`${model}\`.`, {
    code: 'model_not_allowed',
    param: 'model',
  });

export const insufficientBalance = () =>
  new OpenAiError(
    402,
    'The wallet does not cover the most that this request can cost. Top up, or lower max_tokens.',
    {
      code: 'insufficient_balance',
    },
  );

/** The request came to more than was set aside for it, and nothing else was there to pay for it. */
export class NotCoveredError extends OpenAiError {
  constructor() {
    super(402, 'The wallet did not cover what this request came to.', { code: 'insufficient_balance' });
  }
}

export const keyLimitReached = () =>
  new OpenAiError(402, "This API key's spending limit does not cover the most that this request can cost.", {
    code: 'key_spend_limit_reached',
  });

export const upstreamFailed = () =>
  new OpenAiError(502, 'No upstream could answer this request.', { code: 'upstream_error' });

export const upstreamTimedOut = () =>
  new OpenAiError(504, 'The upstream did not answer in time.', { code: 'upstream_timeout' });

export const billingUnavailable = () =>
  new OpenAiError(503, 'The request could not be billed and was not completed.', {
    code: 'billing_unavailable',
  });

import { type z } from 'zod';

export interface StripeErrorBody {
  type: 'invalid_request_error' | 'idempotency_error' | 'api_error';
  message: string;
  code?: string;
  param?: string;
}

/** An error response in Stripe's format. */
export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    readonly body: StripeErrorBody,
  ) {
    super(body.message);
  }
}

export const invalidRequest = (message: string, more: { code?: string; param?: string } = {}, status = 400) =>
  new StripeRefusal(status, { type: 'invalid_request_error', message, ...more });

export const resourceMissing = (kind: string, id: string, param: string) =>
  invalidRequest(`No such ${kind}: '${id}'`, { code: 'resource_missing', param }, 404);

/** Stripe's notation of a field path: `['line_items', 0, 'quantity']` is `line_items[0][quantity]`. */
const nameOf = ([first, ...rest]: PropertyKey[]) =>
  String(first ?? '') + rest.map((part) => `[${String(part)}]`).join('');

/** The error response for the first issue. The form must have been parsed with `reportInput`. */
export function refusalOf({ issues }: z.ZodError): StripeRefusal {
  const issue = issues[0]!;
  const param = nameOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const unknown = nameOf([...issue.path, issue.keys[0]!]);
    return invalidRequest(`Received unknown parameter: ${unknown}`, {
      code: 'parameter_unknown',
      param: unknown,
    });
  }
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  return invalidRequest(`Invalid ${param}: ${issue.message}`, { param });
}

/** Stripe's error for an injected error status. */
export function errorOfStatus(status: number): StripeErrorBody {
  if (status >= 500) return { type: 'api_error', message: 'Sorry, there was an error on our side.' };
  if (status === 409)
    return {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: 'There is currently another in-progress request using this Idempotency Key.',
    };
  if (status === 429)
    return { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' };
  return { type: 'invalid_request_error', message: `The request was refused with ${status}.` };
}

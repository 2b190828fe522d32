import Stripe from 'stripe';
import { z } from 'zod';
import { ProviderRefusedError, ProviderUnavailableError } from '../payment-provider';
import { InconsistentObjectError } from './stripe-objects';

/** 4xx statuses about credentials, timing, conflicts and rate limits, which say nothing about the order. */
const INCONCLUSIVE_STATUSES = new Set([401, 403, 408, 409, 425, 429]);
/** Only codes of this form are logged. */
const QUOTABLE = /^[A-Za-z0-9_]{1,64}$/;

/** Stripe refused a request. */
export class StripeRefusedError extends ProviderRefusedError {
  constructor(
    message: string,
    /** Stripe's error code, or the type of the error if it has none. */
    readonly code: string,
    readonly status: number,
    /** The request parameter at fault. */
    readonly parameter: string | null,
  ) {
    super(message);
  }
}

/**
 * Maps any error of a Stripe call. Only the error's type, status and code are kept: Stripe's messages may quote keys and
 * request data.
 */
export function providerErrorOf(
  error: unknown,
  call: string,
): ProviderUnavailableError | ProviderRefusedError {
  if (error instanceof ProviderUnavailableError || error instanceof ProviderRefusedError) return error;
  if (error instanceof z.ZodError || error instanceof InconsistentObjectError)
    return new ProviderUnavailableError(`Stripe's answer to ${call} has an unexpected form.`);
  if (!(error instanceof Stripe.errors.StripeError))
    return new ProviderUnavailableError(`Stripe's answer to ${call} cannot be read.`);
  const { statusCode: status, rawType, code, param } = error;
  const kind = [code, rawType].find((text) => text !== undefined && QUOTABLE.test(text)) ?? error.type;
  if (status === undefined)
    return new ProviderUnavailableError(`Stripe does not answer ${call}: ${causeOf(error)}.`);
  if (status < 400 || status >= 500 || INCONCLUSIVE_STATUSES.has(status) || kind === 'rate_limit')
    return new ProviderUnavailableError(`Stripe does not answer ${call}: ${status} ${kind}.`);
  return new StripeRefusedError(`Stripe refuses ${call}: ${status} ${kind}.`, kind, status, param ?? null);
}

function causeOf({ type, detail }: InstanceType<typeof Stripe.errors.StripeError>): string {
  const { code } = Object(detail) as { code?: unknown };
  return typeof code === 'string' && QUOTABLE.test(code) ? code : type;
}

import Stripe from 'stripe';
import { z } from 'zod';
import { ProviderRefusal, ProviderUnavailable } from '../payment-provider';
import { ImplausibleObject } from './stripe-answers';

/** Statuses that say nothing of the order: who asks, too early, at the same time as another, too often. */
const NO_ANSWERS = new Set([401, 403, 408, 409, 425, 429]);
const QUOTABLE = /^[A-Za-z0-9_]{1,64}$/;

/** Stripe has decided, and why. */
export class StripeRefusal extends ProviderRefusal {
  constructor(
    message: string,
    /** Stripe's, or the kind of its error when it has none. */
    readonly code: string,
    readonly status: number,
    /** The parameter that it is about. */
    readonly parameter: string | null,
  ) {
    super(message);
  }
}

/**
 * Only the kind of an error, its status and code: Stripe's own messages may quote keys and what was sent, so they
 * are neither repeated nor kept as a cause.
 */
export function providerErrorOf(error: unknown, call: string): ProviderUnavailable | ProviderRefusal {
  if (error instanceof ProviderUnavailable || error instanceof ProviderRefusal) return error;
  if (error instanceof z.ZodError || error instanceof ImplausibleObject)
    return new ProviderUnavailable(`Stripe's answer to ${call} is not what it should be.`);
  if (!(error instanceof Stripe.errors.StripeError))
    return new ProviderUnavailable(`Stripe's answer to ${call} cannot be read.`);
  const { statusCode: status, rawType, code, param } = error;
  const kind = [code, rawType].find((text) => text !== undefined && QUOTABLE.test(text)) ?? error.type;
  if (status === undefined)
    return new ProviderUnavailable(`Stripe does not answer ${call}: ${causeOf(error)}.`);
  if (status < 400 || status >= 500 || NO_ANSWERS.has(status) || kind === 'rate_limit')
    return new ProviderUnavailable(`Stripe does not answer ${call}: ${status} ${kind}.`);
  return new StripeRefusal(`Stripe refuses ${call}: ${status} ${kind}.`, kind, status, param ?? null);
}

function causeOf({ type, detail }: InstanceType<typeof Stripe.errors.StripeError>): string {
  const { code } = Object(detail) as { code?: unknown };
  return typeof code === 'string' && QUOTABLE.test(code) ? code : type;
}

import { createHash } from 'node:crypto';
import { type WireAnswer, type WireRequest } from '../protocol';
import { StripeRefusal } from './stripe-error';

interface Saved {
  fingerprint: string;
  answer: WireAnswer;
}

/**
 * The saved answers by Idempotency-Key. They are lost when the sandbox ends; Stripe deletes them after a day.
 */
export class SavedAnswers {
  private readonly saved = new Map<string, Saved>();

  /** The saved answer to the same request, or null. Throws if the key was used for a different request. */
  find(request: WireRequest): WireAnswer | null {
    const key = keyOf(request);
    const known = key === null ? undefined : this.saved.get(key);
    if (!known) return null;
    if (known.fingerprint !== fingerprintOf(request))
      throw new StripeRefusal(400, {
        type: 'idempotency_error',
        message:
          'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
          `Try using a key other than '${key}' if you meant to execute a different request.`,
      });
    return { ...known.answer, headers: { ...known.answer.headers, 'idempotent-replayed': 'true' } };
  }

  keep(request: WireRequest, answer: WireAnswer): void {
    const key = keyOf(request);
    if (key !== null) this.saved.set(key, { fingerprint: fingerprintOf(request), answer });
  }
}

function keyOf({ method, headers }: WireRequest): string | null {
  const key = headers['idempotency-key'];
  return method === 'POST' && typeof key === 'string' ? key : null;
}

const fingerprintOf = ({ path, body }: WireRequest) =>
  createHash('sha256').update(`${path}\n`).update(body).digest('hex');

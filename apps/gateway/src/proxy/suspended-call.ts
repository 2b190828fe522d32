import {
  ACCOUNT_SUSPENDED,
  ACCOUNT_SUSPENDED_MESSAGE,
  type Caller,
  type Suspended,
  type Suspensions,
} from '@inference/guards';
import { type Response } from 'express';
import { GatewayError } from '../errors/openai-error';
import { type Cancellation } from '../upstreams/upstream-call';

/** How long a client whose account is suspended may take for what was sent. Specified: its streams end within five seconds. */
const CUT_PATIENCE_MILLIS = 4_000;

/** The account of a call, or its key, was suspended while it ran. */
class CutError extends GatewayError {
  constructor(suspended: Suspended) {
    if (suspended === 'account') super(ACCOUNT_SUSPENDED, ACCOUNT_SUSPENDED_MESSAGE);
    else super('api_key_suspended', 'the API key is suspended');
  }
}

/**
 * Cancels a call when its account or key is suspended; the reason of the cancellation is what the client is told. A client that reads
 * nothing does not keep the call open. Returns what ends the watch.
 */
export const cutWhenSuspended = (
  suspensions: Suspensions,
  caller: Caller,
  cancellation: Cancellation,
  response: Response,
): (() => void) =>
  suspensions.watch(caller, (suspended) => {
    cancellation.abort(new CutError(suspended));
    const timer = setTimeout(() => response.destroy(), CUT_PATIENCE_MILLIS);
    response.once('close', () => clearTimeout(timer));
  });

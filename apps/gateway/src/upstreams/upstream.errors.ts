import { type MeteredUsage } from '@inference/metering';
import { GatewayError } from '../errors/openai-error';
import { type CallCosting } from './cost-prices';

/** No upstream of the model gave a usable answer. */
export class UpstreamFailedError extends GatewayError {
  /** @param upstream the last one that was tried */
  constructor(readonly upstream?: string) {
    super('upstream_error', 'No upstream could answer this request.');
  }
}

/** An answer ended in the middle after a part of it was sent. */
export class AnswerBrokenOffError extends GatewayError {
  constructor() {
    super(
      'upstream_error',
      'The answer of the model broke off. Its prompt and what was produced until then are charged.',
    );
  }
}

/** No upstream of the model gave a usable answer, and the last one that was tried exceeded a timeout. */
export class UpstreamTimedOutError extends GatewayError {
  constructor(readonly upstream?: string) {
    super('upstream_timeout', 'The upstream did not answer in time.');
  }
}

/** No upstream of the model speaks the protocol of the request, and it is none that can be translated. */
export class ProtocolNotServedError extends GatewayError {
  constructor(model: unknown) {
    super(
      'protocol_not_served',
      `The model ${JSON.stringify(model)} cannot be called here. Call /v1/chat/completions, /v1/responses or /v1/messages.`,
      'model',
    );
  }
}

const BUSY = 'All servers of the model are busy. Try again later.';
const ABOVE_SHARE =
  'All servers of the model are busy, and this account uses more than its share of them. Try again later, with fewer requests at a time.';

/** All upstreams of the model are full or have asked for a pause. */
export class UpstreamBusyError extends GatewayError {
  /**
   * @param retryMillis when one of them may be called again
   * @param isAboveShare whether the account runs more than its share of them
   */
  constructor(retryMillis: number, isAboveShare: boolean) {
    const millis = Math.max(1, Math.ceil(retryMillis));
    const message = isAboveShare ? ABOVE_SHARE : BUSY;
    super('upstream_busy', message, undefined, undefined, {
      'Retry-After': String(Math.ceil(millis / 1000)),
      'Retry-After-Ms': String(millis),
    });
  }
}

/** The gateway has cancelled its call of an upstream. */
export class CallCancelledError extends Error {
  constructor() {
    super('The call was cancelled.');
  }
}

/** The answer of an upstream cannot be used. */
export class UnusableAnswerError extends Error {
  /** @param usage what the upstream reported for it all the same, and so charges */
  constructor(readonly usage: MeteredUsage | null) {
    super('the answer cannot be used');
  }
}

/** The client left while an upstream had its request and had not failed. */
export class RequestAbandonedError extends Error {
  /**
   * @param model that was asked
   * @param isNative whether it got the request as its client has sent it
   */
  constructor(
    readonly upstream: string,
    readonly model: string,
    readonly isNative: boolean,
    readonly costing: CallCosting,
  ) {
    super(`The client left while ${upstream} worked for it.`);
  }
}

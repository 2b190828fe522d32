import { GatewayError } from '../errors/openai-error';

/** No upstream of the model gave a usable answer. */
export class UpstreamFailedError extends GatewayError {
  /** @param upstream the last one that was tried */
  constructor(readonly upstream?: string) {
    super('upstream_error', 'No upstream could answer this request.');
  }
}

/** No upstream of the model gave a usable answer, and the last one that was tried exceeded a timeout. */
export class UpstreamTimedOutError extends GatewayError {
  constructor(readonly upstream?: string) {
    super('upstream_timeout', 'The upstream did not answer in time.');
  }
}

/** The gateway has cancelled its call of an upstream. */
export class CallCancelledError extends Error {
  constructor() {
    super('The call was cancelled.');
  }
}

/** The client left while an upstream had its request and had not failed. */
export class RequestAbandonedError extends Error {
  constructor(readonly upstream: string) {
    super(`The client left while ${upstream} worked for it.`);
  }
}

import { GatewayError } from '../errors/openai-error';

/** The request cost more than its hold, and neither the lease nor the wallet's free money covers the difference. */
export class NotCoveredError extends GatewayError {
  constructor() {
    super('insufficient_balance', 'The wallet did not cover what this request came to.');
  }
}

/** The usage event was not written, and never will be: the request is free. */
export class BillingUnavailableError extends GatewayError {
  constructor() {
    super('billing_unavailable', 'The request could not be billed and was not completed. It is not charged.');
  }
}

/** The database did not tell whether the usage event was written. */
export class BillingUnknownError extends GatewayError {
  constructor(requestId: string) {
    super(
      'billing_unknown',
      `The request was not completed and may have been charged. The console shows the result for ${requestId}.`,
    );
  }
}

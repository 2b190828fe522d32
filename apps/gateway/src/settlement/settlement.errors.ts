import { GatewayError } from '../errors/gateway-error';

/** The request cost more than its hold, and neither the lease nor the wallet's free money covers the difference. */
export class NotCoveredError extends GatewayError {
  constructor() {
    super('insufficient_balance', 'The wallet did not cover what this request came to.');
  }
}

/** The usage event could not be written within the retry timeout, or the outcome of writing it is unknown. */
export class BillingUnavailableError extends GatewayError {
  constructor() {
    super('billing_unavailable', 'The request could not be billed and was not completed.');
  }
}

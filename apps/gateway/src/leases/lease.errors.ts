import { GatewayError } from '../errors/gateway-error';

/** The wallet's free money does not cover the worst case of the request. */
export class InsufficientBalanceError extends GatewayError {
  constructor() {
    super(
      'insufficient_balance',
      'The wallet does not cover the most that this request can cost. Top up, or lower max_tokens.',
    );
  }
}

/** The remaining spending limit of the API key does not cover the worst case of the request. */
export class KeySpendLimitReachedError extends GatewayError {
  constructor() {
    super(
      'key_spend_limit_reached',
      "This API key's spending limit does not cover the most that this request can cost.",
    );
  }
}

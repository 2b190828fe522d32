import { GatewayError } from '../../errors/gateway-error';

/** The site charges in CNY and no exchange rate to USD is stored. */
export class ExchangeRateMissingError extends GatewayError {
  constructor() {
    super('exchange_rate_missing', 'No exchange rate is stored for today.');
  }
}

import { env } from '@inference/config';
import { ApiException, CODES } from '@inference/training-envelope';

export const pricesFields = env.trainingPrice;

export interface PricesConfig {
  /** Model that the usage events of training name. */
  tokenPriceSlug: string;
}

export const PRICES_CONFIG = Symbol('PRICES_CONFIG');

export const pricesOf = (config: { TRAINING_PRICE_SLUG: string }): PricesConfig => ({
  tokenPriceSlug: config.TRAINING_PRICE_SLUG,
});

/** 503: no price of training is published. */
export const tokenPriceMissing = () =>
  new ApiException(CODES.tokenPriceMissing, 'no price of training is published');

/** 503: the price of training, of an older version, has none of a GPU hour. */
export const gpuPriceMissing = () =>
  new ApiException(CODES.gpuPriceMissing, 'the published price of training has no GPU hour');

/** 503: no exchange rate to USD is stored. */
export const exchangeRateMissing = () =>
  new ApiException(CODES.exchangeRateMissing, 'no exchange rate to USD is stored');

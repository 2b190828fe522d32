import { env } from '@inference/config';

export const pricesFields = env.trainingPrice;

export interface PricesConfig {
  /** Model that the usage events of training name. */
  tokenPriceSlug: string;
}

export const PRICES_CONFIG = Symbol('PRICES_CONFIG');

export const pricesOf = (config: { TRAINING_PRICE_SLUG: string }): PricesConfig => ({
  tokenPriceSlug: config.TRAINING_PRICE_SLUG,
});

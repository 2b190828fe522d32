import { env, type Site } from '@inference/config';

export const pricesFields = env.trainingPrice;

export interface PricesConfig {
  site: Site;
  /** The model that usage of training names; not a model that can be called. */
  trainingPriceSlug: string;
}

export const PRICES_CONFIG = Symbol('PRICES_CONFIG');

export const pricesOf = (config: { SITE: Site; TRAINING_PRICE_SLUG: string }): PricesConfig => ({
  site: config.SITE,
  trainingPriceSlug: config.TRAINING_PRICE_SLUG,
});

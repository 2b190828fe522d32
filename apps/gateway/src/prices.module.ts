import { env, type Site } from '@inference/config';
import { Database, NotificationChannel } from '@inference/database';
import { PriceBook } from '@inference/metering';
import { Module } from '@nestjs/common';

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

/** Provides the model prices in force. */
@Module({
  providers: [
    {
      provide: PriceBook,
      inject: [Database, PRICES_CONFIG, NotificationChannel],
      useFactory: (database: Database, config: PricesConfig, channel: NotificationChannel) =>
        new PriceBook(database, config.site, channel, config.trainingPriceSlug),
    },
  ],
  exports: [PriceBook],
})
export class PricesModule {}

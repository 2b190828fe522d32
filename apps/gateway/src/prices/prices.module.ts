import { Module } from '@nestjs/common';
import { NotificationChannel, SQL_POOL, type SqlPool } from '@inference/database';
import { PriceBook } from '@inference/metering';
import { PRICES_CONFIG, type PricesConfig } from './prices.config';

/** Provides the model prices in force. */
@Module({
  providers: [
    {
      provide: PriceBook,
      inject: [SQL_POOL, PRICES_CONFIG, NotificationChannel],
      useFactory: (pool: SqlPool, config: PricesConfig, channel: NotificationChannel) =>
        new PriceBook(pool, config.site, channel, config.trainingPriceSlug),
    },
  ],
  exports: [PriceBook],
})
export class PricesModule {}

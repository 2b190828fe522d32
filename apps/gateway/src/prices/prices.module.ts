import { Module } from '@nestjs/common';
import { Database, NotificationChannel } from '@inference/database';
import { PriceBook } from '@inference/metering';
import { PRICES_CONFIG, type PricesConfig } from './prices.config';

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

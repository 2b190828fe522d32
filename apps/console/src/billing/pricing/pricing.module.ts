import { Module } from '@nestjs/common';
import { AdminPricingController } from './admin-pricing.controller';
import { AdminTrainingPriceController } from './admin-training-price.controller';
import { PriceHistoryController } from './history/price-history.controller';
import { PriceHistoryService } from './history/price-history.service';
import { PricingController } from './pricing.controller';
import { PricingService } from './pricing.service';
import { TrainingPriceService } from './training-price.service';

@Module({
  controllers: [
    PricingController,
    AdminPricingController,
    AdminTrainingPriceController,
    PriceHistoryController,
  ],
  providers: [PricingService, TrainingPriceService, PriceHistoryService],
})
export class PricingModule {}

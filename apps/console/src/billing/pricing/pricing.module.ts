import { Module } from '@nestjs/common';
import { PriceHistoryController } from './price-history.controller';
import { PriceHistoryService } from './price-history.service';
import {
  AdminPricingController,
  AdminTrainingPriceController,
  PricingController,
} from './pricing.controller';
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

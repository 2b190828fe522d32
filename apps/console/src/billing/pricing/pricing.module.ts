import { Module } from '@nestjs/common';
import { AdminPricingController } from './admin-pricing.controller';
import { PriceHistoryController } from './price-history.controller';
import { PriceHistoryService } from './price-history.service';
import { PricingController } from './pricing.controller';
import { PricingService } from './pricing.service';

@Module({
  controllers: [PricingController, AdminPricingController, PriceHistoryController],
  providers: [PricingService, PriceHistoryService],
})
export class PricingModule {}

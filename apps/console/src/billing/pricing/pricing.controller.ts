import { Controller, Get } from '@nestjs/common';
import { Public, ValidQuery } from '@inference/http';
import { Cached } from '../../caching/cached.decorator';
import { pricingQuery, type PricingQuery } from './pricing.dto';
import { PricingService } from './pricing.service';

@Controller('api/pricing')
export class PricingController {
  constructor(private readonly pricing: PricingService) {}

  /** Spec: Published pricing. `limit` (1 to 100) caps each of the two lists. */
  @Get()
  @Public()
  @Cached()
  read(@ValidQuery(pricingQuery) { limit }: PricingQuery) {
    return this.pricing.read(limit ?? null);
  }
}

import { Controller, Get } from '@nestjs/common';
import { Public, ValidQuery } from '@inference/http';
import { pricingQuery, type PricingQuery } from './pricing.dto';
import { PricingService } from './pricing.service';

@Controller('api/pricing')
export class PricingController {
  constructor(private readonly pricing: PricingService) {}

  /** Spec: Published pricing. `limit` (1 to 100) caps each of the two lists. */
  @Get()
  @Public()
  async read(@ValidQuery(pricingQuery) query: PricingQuery) {
    const limit = query.limit ?? null;
    const [models, gpus] = await Promise.all([this.pricing.readModels(limit), this.pricing.readGpus(limit)]);
    return { models, gpus };
  }
}

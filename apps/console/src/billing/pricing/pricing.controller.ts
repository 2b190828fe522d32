import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '@inference/http';
import { ApiCachedResponse } from '../../caching/api-cached-response.decorator';
import { type CacheableResponse, Cached } from '../../caching/cached.decorator';
import { PricingResponse } from './price-responses';
import { PricingQuery } from './pricing.dto';
import { PricingService } from './pricing.service';

@Controller('api/pricing')
@ApiTags('Prices')
export class PricingController {
  constructor(private readonly pricing: PricingService) {}

  @Get()
  @Public()
  @Cached()
  @ApiOperation({ operationId: 'getPricing', summary: 'Returns the published prices of models and GPUs.' })
  @ApiCachedResponse({ description: 'The current price lists.', type: PricingResponse })
  read(@Query() { limit }: PricingQuery): Promise<CacheableResponse<PricingResponse>> {
    return this.pricing.read(limit ?? null);
  }
}

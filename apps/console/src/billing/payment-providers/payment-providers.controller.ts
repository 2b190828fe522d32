import { Public } from '@inference/http';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiCachedResponse, type CacheableResponse, Cached } from '../../caching/cached.decorator';
import { PaymentProviders } from './payment-providers';
import { PaymentProviderListResponse } from './payment-providers.dto';

@Controller('api/payments/providers')
@ApiTags('Payments')
export class PaymentProvidersController {
  constructor(private readonly providers: PaymentProviders) {}

  @Get()
  @Public()
  @Cached()
  @ApiOperation({ operationId: 'listPaymentProviders', summary: 'Lists the payment providers of the site.' })
  @ApiCachedResponse(
    { description: 'All providers, also those that are not enabled.', type: PaymentProviderListResponse },
    { hasLastModified: false },
  )
  list(): CacheableResponse<PaymentProviderListResponse> {
    return { body: { providers: this.providers.views() }, changedAt: null };
  }
}

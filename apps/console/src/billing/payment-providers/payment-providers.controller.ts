import { Controller, Get } from '@nestjs/common';
import { Public } from '@inference/http';
import { type CacheableResponse, Cached } from '../../caching/cached.decorator';
import { PaymentProviders } from './payment-providers';

@Controller('api/payments/providers')
export class PaymentProvidersController {
  constructor(private readonly providers: PaymentProviders) {}

  /** Spec: Pricing and providers. */
  @Get()
  @Public()
  @Cached()
  list(): CacheableResponse {
    return { body: { providers: this.providers.views() }, changedAt: null };
  }
}

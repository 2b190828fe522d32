import { Controller, Get } from '@nestjs/common';
import { Public } from '@inference/http';
import { type Cacheable, Cached } from '../caching/cached';
import { PaymentProviders } from './payment-providers';

@Controller('api/payments/providers')
export class PaymentProvidersController {
  constructor(private readonly providers: PaymentProviders) {}

  /** Spec: Pricing and providers. */
  @Get()
  @Public()
  @Cached()
  list(): Cacheable {
    return { body: { providers: this.providers.views() }, changedAt: null };
  }
}

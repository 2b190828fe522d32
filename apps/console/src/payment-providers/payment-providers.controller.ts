import { Controller, Get } from '@nestjs/common';
import { Public } from '@inference/http';
import { type PaymentProviderView, PaymentProviders } from './payment-providers';

@Controller('api/payments/providers')
export class PaymentProvidersController {
  constructor(private readonly providers: PaymentProviders) {}

  /** Spec: Pricing and providers. */
  @Get()
  @Public()
  list(): { providers: PaymentProviderView[] } {
    return { providers: this.providers.views() };
  }
}

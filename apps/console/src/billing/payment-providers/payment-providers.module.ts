import { Module } from '@nestjs/common';
import { PaymentProviders } from './payment-providers';
import { PaymentProvidersController } from './payment-providers.controller';

@Module({
  controllers: [PaymentProvidersController],
  providers: [PaymentProviders],
  exports: [PaymentProviders],
})
export class PaymentProvidersModule {}

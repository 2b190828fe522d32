import { Module } from '@nestjs/common';
import { PaymentProvidersModule } from '../payment-providers/payment-providers.module';
import { SettingsController } from './settings.controller';

@Module({
  imports: [PaymentProvidersModule],
  controllers: [SettingsController],
})
export class SettingsModule {}

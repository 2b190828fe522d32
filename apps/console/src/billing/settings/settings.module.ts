import { Module } from '@nestjs/common';
import { PaymentProvidersModule } from '../payment-providers/payment-providers.module';
import { SettingsController } from './settings.controller';
import { SettingsService } from './settings.service';

@Module({
  imports: [PaymentProvidersModule],
  controllers: [SettingsController],
  providers: [SettingsService],
})
export class SettingsModule {}

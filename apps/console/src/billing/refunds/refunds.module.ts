import { Module } from '@nestjs/common';
import { PaymentProvidersModule } from '../payment-providers/payment-providers.module';
import { RefundExecutor } from './refund-executor';
import { RefundsService } from './refunds.service';

@Module({
  imports: [PaymentProvidersModule],
  providers: [RefundsService, RefundExecutor],
  exports: [RefundsService, RefundExecutor],
})
export class RefundsModule {}

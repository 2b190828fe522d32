import { Module } from '@nestjs/common';
import { PaymentProvidersModule } from '../payment-providers/payment-providers.module';
import { RefundReconciler } from './refund-reconciler';
import { RefundsService } from './refunds.service';

@Module({
  imports: [PaymentProvidersModule],
  providers: [RefundsService, RefundReconciler],
  exports: [RefundsService, RefundReconciler],
})
export class RefundsModule {}

import { Module } from '@nestjs/common';
import { PaymentProvidersModule } from '../payment-providers/payment-providers.module';
import { ReceiptsModule } from '../receipts/receipts.module';
import { RefundsModule } from '../refunds/refunds.module';
import { PaymentReconciler } from './payment-reconciler';
import { PaymentSettlement } from './payment-settlement';

/** Turns what the providers report of orders, by webhook or when polled, into credits of the wallet. */
@Module({
  imports: [PaymentProvidersModule, ReceiptsModule, RefundsModule],
  providers: [PaymentSettlement, PaymentReconciler],
  exports: [PaymentSettlement],
})
export class SettlementModule {}

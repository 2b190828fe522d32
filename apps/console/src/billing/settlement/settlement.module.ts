import { Module } from '@nestjs/common';
import { PaymentProvidersModule } from '../payment-providers/payment-providers.module';
import { ReceiptsModule } from '../receipts/receipts.module';
import { RefundsModule } from '../refunds/refunds.module';
import { PaymentPoller } from './payment-poller';
import { PaymentMetrics, PaymentSettlement } from './payment-settlement';

/** Turns what the providers report of orders, by webhook or when polled, into credits of the wallet. */
@Module({
  imports: [PaymentProvidersModule, ReceiptsModule, RefundsModule],
  providers: [PaymentMetrics, PaymentSettlement, PaymentPoller],
  exports: [PaymentSettlement],
})
export class SettlementModule {}

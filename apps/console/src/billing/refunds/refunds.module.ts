import { Module } from '@nestjs/common';
import { PaymentProvidersModule } from '../payment-providers/payment-providers.module';
import { RefundExecutor } from './refund-executor';
import { AdminRefundsController, RefundsController } from './refunds.controller';
import { RefundListsService, RefundsService } from './refunds.service';

@Module({
  imports: [PaymentProvidersModule],
  controllers: [RefundsController, AdminRefundsController],
  providers: [RefundsService, RefundListsService, RefundExecutor],
  exports: [RefundsService, RefundExecutor],
})
export class RefundsModule {}

import { Module } from '@nestjs/common';
import { PaymentProvidersModule } from '../payment-providers/payment-providers.module';
import { AdminRefundsController } from './admin-refunds.controller';
import { RefundExecutor } from './refund-executor';
import { RefundListsService } from './refund-lists.service';
import { RefundsController } from './refunds.controller';
import { RefundsService } from './refunds.service';

@Module({
  imports: [PaymentProvidersModule],
  controllers: [RefundsController, AdminRefundsController],
  providers: [RefundsService, RefundListsService, RefundExecutor],
  exports: [RefundsService, RefundExecutor],
})
export class RefundsModule {}

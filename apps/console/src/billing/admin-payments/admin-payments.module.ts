import { Module } from '@nestjs/common';
import { RefundsModule } from '../refunds/refunds.module';
import { AdminPaymentsController } from './admin-payments.controller';

@Module({
  imports: [RefundsModule],
  controllers: [AdminPaymentsController],
})
export class AdminPaymentsModule {}

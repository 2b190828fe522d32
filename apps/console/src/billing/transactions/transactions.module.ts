import { Module } from '@nestjs/common';
import { AdminTransactionsController, TransactionsController } from './transactions.controller';
import { TransactionsService } from './transactions.service';

@Module({
  controllers: [TransactionsController, AdminTransactionsController],
  providers: [TransactionsService],
})
export class TransactionsModule {}

import { Module } from '@nestjs/common';
import { AdminTransactionsController } from './admin-transactions.controller';
import { TransactionsController } from './transactions.controller';
import { TransactionsService } from './transactions.service';

@Module({
  controllers: [TransactionsController, AdminTransactionsController],
  providers: [TransactionsService],
})
export class TransactionsModule {}

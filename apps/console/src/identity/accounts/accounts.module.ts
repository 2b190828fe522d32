import { Module } from '@nestjs/common';
import { AdminAccountsController } from './admin-accounts.controller';
import { AdminAccountsService } from './admin-accounts.service';

@Module({
  controllers: [AdminAccountsController],
  providers: [AdminAccountsService],
})
export class AccountsModule {}

import { Module } from '@nestjs/common';
import { AdminAccountsController } from './admin/admin-accounts.controller';
import { AdminAccountsService } from './admin/admin-accounts.service';

@Module({
  controllers: [AdminAccountsController],
  providers: [AdminAccountsService],
})
export class AccountsModule {}

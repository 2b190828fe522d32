import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module';
import { IdentityModule } from '../identity/identity.module';
import { AccountSearchController } from './account-search/account-search.controller';
import { AccountSearchService } from './account-search/account-search.service';
import { CustomerViewController } from './customer-view/customer-view.controller';
import { CustomerViewService } from './customer-view/customer-view.service';
import { SuspensionsController } from './suspensions/suspensions.controller';
import { SuspensionsService } from './suspensions/suspensions.service';

@Module({
  imports: [BillingModule, IdentityModule],
  controllers: [AccountSearchController],
  providers: [AccountSearchService],
})
class AccountSearchModule {}

@Module({ controllers: [CustomerViewController], providers: [CustomerViewService] })
class CustomerViewModule {}

@Module({
  imports: [IdentityModule],
  controllers: [SuspensionsController],
  providers: [SuspensionsService],
})
class SuspensionsModule {}

/** What staff does for customers, and against abusers. */
@Module({ imports: [AccountSearchModule, CustomerViewModule, SuspensionsModule] })
export class SupportModule {}

import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module';
import { IdentityModule } from '../identity/identity.module';
import { AccountSearchController } from './account-search/account-search.controller';
import { AccountSearchService } from './account-search/account-search.service';
import { AccountViewsService } from './customer-view/account-views.service';
import { CustomerViewController } from './customer-view/customer-view.controller';
import { CustomerViewService } from './customer-view/customer-view.service';
import { LeakedKeysController } from './leaked-keys/leaked-keys.controller';
import { LeakedKeysService } from './leaked-keys/leaked-keys.service';
import { SuspensionsController } from './suspensions/suspensions.controller';
import { SuspensionsService } from './suspensions/suspensions.service';

@Module({
  imports: [BillingModule, IdentityModule],
  controllers: [AccountSearchController],
  providers: [AccountSearchService],
})
class AccountSearchModule {}

@Module({ controllers: [CustomerViewController], providers: [AccountViewsService, CustomerViewService] })
class CustomerViewModule {}

@Module({ controllers: [LeakedKeysController], providers: [LeakedKeysService] })
class LeakedKeysModule {}

@Module({
  imports: [IdentityModule],
  controllers: [SuspensionsController],
  providers: [SuspensionsService],
})
class SuspensionsModule {}

/** What staff does for customers, and against abusers. */
@Module({ imports: [AccountSearchModule, CustomerViewModule, LeakedKeysModule, SuspensionsModule] })
export class SupportModule {}

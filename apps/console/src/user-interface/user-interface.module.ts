import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { CompressedAnswersMiddleware, UserInterfaceMiddleware } from './user-interface.middleware';
import { BillingModule } from '../billing/billing.module';
import { CatalogueModule } from '../catalogue/catalogue.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { StatusPageModule } from '../status-page/status-page.module';
import { RenderedPages } from './rendered-pages.service';

/** The console's pages in a browser, the one of the site's status among them, if this service is to serve them (`CONSOLE_UI_DIRECTORY`). Answers of the API are compressed. */
@Module({
  imports: [BillingModule, CatalogueModule, NotificationsModule, StatusPageModule],
  providers: [RenderedPages],
})
export class UserInterfaceModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(CompressedAnswersMiddleware, UserInterfaceMiddleware).forRoutes('{*path}');
  }
}

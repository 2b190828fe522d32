import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module';
import { InferenceModule } from '../inference/inference.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { ServiceHealthModule } from '../service-health/service-health.module';
import { StatusPageController } from './status-page.controller';
import { StatusPageService } from './status-page.service';

/** Whether services and models work, for everybody, if the site wants it (`STATUS_PAGE`). */
@Module({
  imports: [BillingModule, InferenceModule, NotificationsModule, ServiceHealthModule],
  controllers: [StatusPageController],
  providers: [StatusPageService],
  exports: [StatusPageService],
})
export class StatusPageModule {}

import { Module } from '@nestjs/common';
import { CapabilitiesController } from './capabilities/capabilities.controller';
import { CapabilitiesService } from './capabilities/capabilities.service';
import { AdminQuotasController } from './quotas/admin-quotas.controller';
import { QuotasService } from './quotas/quotas.service';
import { UsageController } from './usage/usage.controller';
import { UsageService } from './usage/usage.service';

/** `GET /v1/capabilities`. */
@Module({ controllers: [CapabilitiesController], providers: [CapabilitiesService] })
export class CapabilitiesModule {}

/** Token quotas of accounts, set by admins. */
@Module({ controllers: [AdminQuotasController], providers: [QuotasService] })
export class QuotasModule {}

/** Usage that the trainers report. */
@Module({ controllers: [UsageController], providers: [UsageService] })
export class UsageModule {}

import { Module } from '@nestjs/common';
import { AdminQuotasController } from './admin-quotas.controller';
import { QuotasService } from './quotas.service';

/** Token quotas of accounts, set by admins. */
@Module({ controllers: [AdminQuotasController], providers: [QuotasService] })
export class QuotasModule {}

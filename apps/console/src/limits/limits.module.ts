import { Module } from '@nestjs/common';
import { AdminLimitsController, LimitsController } from './limits.controller';
import { LimitsService } from './limits.service';

/** How fast accounts and keys may call models. */
@Module({ controllers: [AdminLimitsController, LimitsController], providers: [LimitsService] })
export class LimitsModule {}

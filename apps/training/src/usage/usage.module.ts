import { Module } from '@nestjs/common';
import { UsageController } from './usage.controller';
import { UsageService } from './usage.service';

/** Usage that the trainers report. */
@Module({ controllers: [UsageController], providers: [UsageService] })
export class UsageModule {}

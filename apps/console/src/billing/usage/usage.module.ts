import { Module } from '@nestjs/common';
import { AdminUsageController, UsageController } from './usage.controller';
import { UsageService } from './usage.service';

@Module({
  controllers: [UsageController, AdminUsageController],
  providers: [UsageService],
})
export class UsageModule {}

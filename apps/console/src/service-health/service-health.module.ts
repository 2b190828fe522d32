import { Module } from '@nestjs/common';
import { ServiceHealthController } from './service-health.controller';
import { ServiceHealthService } from './service-health.service';

@Module({
  controllers: [ServiceHealthController],
  providers: [ServiceHealthService],
  exports: [ServiceHealthService],
})
export class ServiceHealthModule {}

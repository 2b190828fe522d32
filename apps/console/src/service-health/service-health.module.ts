import { Module } from '@nestjs/common';
import { ServingModule } from '../inference/inference.module';
import { ServiceHealthController } from './service-health.controller';
import { ServiceHealthService } from './service-health.service';

@Module({
  imports: [ServingModule],
  controllers: [ServiceHealthController],
  providers: [ServiceHealthService],
  exports: [ServiceHealthService],
})
export class ServiceHealthModule {}

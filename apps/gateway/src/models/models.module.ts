import { Module } from '@nestjs/common';
import { PricesModule } from '../prices/prices.module';
import { UpstreamsModule } from '../upstreams/upstreams.module';
import { ModelsController } from './models.controller';
import { ModelsService } from './models.service';

/** `GET /v1/models`. */
@Module({
  imports: [PricesModule, UpstreamsModule],
  controllers: [ModelsController],
  providers: [ModelsService],
})
export class ModelsModule {}

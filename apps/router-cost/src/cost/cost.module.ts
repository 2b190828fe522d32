import { Module } from '@nestjs/common';
import { CostController } from './cost.controller';
import { CostService } from './cost.service';

/** `GET /v1/router/cost`. */
@Module({ controllers: [CostController], providers: [CostService] })
export class CostModule {}

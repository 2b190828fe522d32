import { Controller, Get, Header, Put } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { ValidBody, ValidQuery } from '@inference/http';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import { type TrainingPriceView } from './price-views';
import {
  publishQuery,
  type PublishQuery,
  publishTrainingPriceDto,
  type PublishTrainingPriceDto,
} from './pricing.dto';
import { TrainingPriceService } from './training-price.service';

/** The price that the training service shows and charges. No list of models or GPUs changes it. */
@Controller('api/admin/billing/pricing/training')
@Roles('admin')
export class AdminTrainingPriceController {
  constructor(private readonly prices: TrainingPriceService) {}

  /** `{training: {token_per_m, gpu_hour, currency}}`; `training` is null before the first price. */
  @Get()
  @Header('Cache-Control', 'no-store')
  async read(): Promise<{ training: TrainingPriceView | null }> {
    return { training: await this.prices.read() };
  }

  /** `{token_per_m, gpu_hour, currency?}`; with `?dry_run=true` nothing is stored. */
  @Put()
  async publish(
    @CurrentActor() admin: Actor,
    @ValidBody(publishTrainingPriceDto) price: PublishTrainingPriceDto,
    @ValidQuery(publishQuery) { dry_run: dryRun }: PublishQuery,
  ): Promise<{ training: TrainingPriceView }> {
    return { training: await this.prices.publish(price, dryRun ? null : admin) };
  }
}

import { Controller, Put } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import {
  publishGpuPricesDto,
  type PublishGpuPricesDto,
  publishModelPricesDto,
  type PublishModelPricesDto,
} from './pricing.dto';
import { PricingService } from './pricing.service';

/** Publishing replaces the whole list, or nothing if the request is refused. The answer is the published list. */
@Controller('api/admin/billing/pricing')
@Roles('admin')
export class AdminPricingController {
  constructor(private readonly pricing: PricingService) {}

  /** `{models: [{slug, unit, price, currency?}]}` */
  @Put('models')
  async publishModels(
    @CurrentActor() admin: Actor,
    @ValidBody(publishModelPricesDto) { models }: PublishModelPricesDto,
  ) {
    await this.pricing.publishModels(models, admin);
    return { models: await this.pricing.readModels(null) };
  }

  /** `{gpus: [{name, hourly_price, currency?}]}` */
  @Put('gpus')
  async publishGpus(
    @CurrentActor() admin: Actor,
    @ValidBody(publishGpuPricesDto) { gpus }: PublishGpuPricesDto,
  ) {
    await this.pricing.publishGpus(gpus, admin);
    return { gpus: await this.pricing.readGpus(null) };
  }
}

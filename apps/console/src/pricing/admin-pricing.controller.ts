import { Controller, Put } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../events/actor';
import { gpuPriceList, type GpuPriceList, modelPriceList, type ModelPriceList } from './pricing.dto';
import { PricingService } from './pricing.service';

/** Publishing replaces a list as a whole, or changes nothing; the answer is the list now published. */
@Controller('api/admin/billing/pricing')
@Roles('admin')
export class AdminPricingController {
  constructor(private readonly pricing: PricingService) {}

  /** `{models: [{slug, unit, price, currency?}]}` */
  @Put('models')
  async publishModels(@CurrentActor() admin: Actor, @ValidBody(modelPriceList) { models }: ModelPriceList) {
    await this.pricing.publishModels(models, admin);
    return { models: await this.pricing.readModels(null) };
  }

  /** `{gpus: [{name, hourly_price, currency?}]}` */
  @Put('gpus')
  async publishGpus(@CurrentActor() admin: Actor, @ValidBody(gpuPriceList) { gpus }: GpuPriceList) {
    await this.pricing.publishGpus(gpus, admin);
    return { gpus: await this.pricing.readGpus(null) };
  }
}

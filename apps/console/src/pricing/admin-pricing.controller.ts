import { Controller, Put } from '@nestjs/common';
import { type Caller, CurrentCaller, Roles } from '@inference/credentials';
import { ValidBody } from '@inference/http';
import { gpuPriceList, type GpuPriceList, modelPriceList, type ModelPriceList } from './pricing.dto';
import { PricingService } from './pricing.service';

/** Publishing replaces a list as a whole, or changes nothing; the answer is the list now published. */
@Controller('api/admin/billing/pricing')
@Roles('admin')
export class AdminPricingController {
  constructor(private readonly pricing: PricingService) {}

  /** `{models: [{slug, unit, price, currency?}]}` */
  @Put('models')
  async publishModels(@CurrentCaller() admin: Caller, @ValidBody(modelPriceList) { models }: ModelPriceList) {
    await this.pricing.publishModels(models, admin.accountId);
    return { models: await this.pricing.readModels(null) };
  }

  /** `{gpus: [{name, hourly_price, currency?}]}` */
  @Put('gpus')
  async publishGpus(@CurrentCaller() admin: Caller, @ValidBody(gpuPriceList) { gpus }: GpuPriceList) {
    await this.pricing.publishGpus(gpus, admin.accountId);
    return { gpus: await this.pricing.readGpus(null) };
  }
}

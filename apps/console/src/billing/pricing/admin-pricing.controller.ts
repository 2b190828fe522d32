import { Controller, Get, Header, Patch, Put } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { ValidBody, ValidQuery } from '@inference/http';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import { type GpuPriceView, type ModelPriceView } from './price-views';
import {
  changeGpuPricesDto,
  type ChangeGpuPricesDto,
  changeModelPricesDto,
  type ChangeModelPricesDto,
  publishGpuPricesDto,
  type PublishGpuPricesDto,
  publishModelPricesDto,
  type PublishModelPricesDto,
  publishQuery,
  type PublishQuery,
} from './pricing.dto';
import { type GpuPublicationView, type ModelPublicationView, PricingService } from './pricing.service';

/**
 * Publishing changes the whole list, or nothing if the request is refused. The answer is the published list, and what it
 * `added`, `changed` and `removed`. With `?dry_run=true` the answer is the same and nothing is stored.
 */
@Controller('api/admin/billing/pricing')
@Roles('admin')
export class AdminPricingController {
  constructor(private readonly pricing: PricingService) {}

  @Get('models')
  @Header('Cache-Control', 'no-store')
  async readModels(): Promise<{ models: ModelPriceView[] }> {
    return { models: await this.pricing.readModels(null) };
  }

  /** `{models: [{slug, unit, price, currency?}]}` replaces the list. */
  @Put('models')
  publishModels(
    @CurrentActor() admin: Actor,
    @ValidBody(publishModelPricesDto) { models }: PublishModelPricesDto,
    @ValidQuery(publishQuery) { dry_run: dryRun }: PublishQuery,
  ): Promise<ModelPublicationView> {
    return this.pricing.publishModels(models, dryRun ? null : admin);
  }

  /** `{models: [{slug, unit, price, currency?}]}` changes these prices only; a `price` null removes one. */
  @Patch('models')
  changeModels(
    @CurrentActor() admin: Actor,
    @ValidBody(changeModelPricesDto) { models }: ChangeModelPricesDto,
    @ValidQuery(publishQuery) { dry_run: dryRun }: PublishQuery,
  ): Promise<ModelPublicationView> {
    return this.pricing.changeModels(models, dryRun ? null : admin);
  }

  @Get('gpus')
  @Header('Cache-Control', 'no-store')
  async readGpus(): Promise<{ gpus: GpuPriceView[] }> {
    return { gpus: await this.pricing.readGpus(null) };
  }

  /** `{gpus: [{name, hourly_price, currency?}]}` replaces the list. */
  @Put('gpus')
  publishGpus(
    @CurrentActor() admin: Actor,
    @ValidBody(publishGpuPricesDto) { gpus }: PublishGpuPricesDto,
    @ValidQuery(publishQuery) { dry_run: dryRun }: PublishQuery,
  ): Promise<GpuPublicationView> {
    return this.pricing.publishGpus(gpus, dryRun ? null : admin);
  }

  /** `{gpus: [{name, hourly_price, currency?}]}` changes these prices only; an `hourly_price` null removes one. */
  @Patch('gpus')
  changeGpus(
    @CurrentActor() admin: Actor,
    @ValidBody(changeGpuPricesDto) { gpus }: ChangeGpuPricesDto,
    @ValidQuery(publishQuery) { dry_run: dryRun }: PublishQuery,
  ): Promise<GpuPublicationView> {
    return this.pricing.changeGpus(gpus, dryRun ? null : admin);
  }
}

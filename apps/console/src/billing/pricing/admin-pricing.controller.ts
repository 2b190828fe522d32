import { Body, Controller, Get, Header, Patch, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import {
  GpuPriceListResponse,
  GpuPublicationResponse,
  ModelPriceListResponse,
  ModelPublicationResponse,
} from './price-responses';
import {
  ChangeGpuPricesDto,
  ChangeModelPricesDto,
  PublishGpuPricesDto,
  PublishModelPricesDto,
  PublishQuery,
} from './pricing.dto';
import { PricingService } from './pricing.service';

const REPLACES = 'The former list stays in the history. A refused list changes nothing.';
const CHANGES = 'A price of null removes the price. A refused request changes nothing.';
const PUBLISHED = 'The published list, and what it added, changed and removed.';

@Controller('api/admin/billing/pricing')
@ApiTags('Administration of prices')
@Roles('admin')
export class AdminPricingController {
  constructor(private readonly pricing: PricingService) {}

  @Get('models')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'listModelPrices', summary: 'Returns the current prices of models.' })
  @ApiOkResponse({ description: 'The whole list.', type: ModelPriceListResponse })
  async readModels(): Promise<ModelPriceListResponse> {
    return { models: await this.pricing.readModels(null) };
  }

  @Put('models')
  @ApiOperation({
    operationId: 'publishModelPrices',
    summary: 'Replaces the list of prices of models.',
    description: REPLACES,
  })
  @ApiOkResponse({ description: PUBLISHED, type: ModelPublicationResponse })
  publishModels(
    @CurrentActor() admin: Actor,
    @Body() { models }: PublishModelPricesDto,
    @Query() { dry_run: dryRun }: PublishQuery,
  ): Promise<ModelPublicationResponse> {
    return this.pricing.publishModels(models, dryRun ? null : admin);
  }

  @Patch('models')
  @ApiOperation({
    operationId: 'changeModelPrices',
    summary: 'Adds, changes or removes single prices of models.',
    description: CHANGES,
  })
  @ApiOkResponse({ description: PUBLISHED, type: ModelPublicationResponse })
  changeModels(
    @CurrentActor() admin: Actor,
    @Body() { models }: ChangeModelPricesDto,
    @Query() { dry_run: dryRun }: PublishQuery,
  ): Promise<ModelPublicationResponse> {
    return this.pricing.changeModels(models, dryRun ? null : admin);
  }

  @Get('gpus')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'listGpuPrices', summary: 'Returns the current prices of GPUs.' })
  @ApiOkResponse({ description: 'The whole list.', type: GpuPriceListResponse })
  async readGpus(): Promise<GpuPriceListResponse> {
    return { gpus: await this.pricing.readGpus(null) };
  }

  @Put('gpus')
  @ApiOperation({
    operationId: 'publishGpuPrices',
    summary: 'Replaces the list of prices of GPUs.',
    description: REPLACES,
  })
  @ApiOkResponse({ description: PUBLISHED, type: GpuPublicationResponse })
  publishGpus(
    @CurrentActor() admin: Actor,
    @Body() { gpus }: PublishGpuPricesDto,
    @Query() { dry_run: dryRun }: PublishQuery,
  ): Promise<GpuPublicationResponse> {
    return this.pricing.publishGpus(gpus, dryRun ? null : admin);
  }

  @Patch('gpus')
  @ApiOperation({
    operationId: 'changeGpuPrices',
    summary: 'Adds, changes or removes single prices of GPUs.',
    description: CHANGES,
  })
  @ApiOkResponse({ description: PUBLISHED, type: GpuPublicationResponse })
  changeGpus(
    @CurrentActor() admin: Actor,
    @Body() { gpus }: ChangeGpuPricesDto,
    @Query() { dry_run: dryRun }: PublishQuery,
  ): Promise<GpuPublicationResponse> {
    return this.pricing.changeGpus(gpus, dryRun ? null : admin);
  }
}

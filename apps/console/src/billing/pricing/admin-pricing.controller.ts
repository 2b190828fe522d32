import { Body, Controller, Get, Header, Patch, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
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
import { publisherOf } from './publishing/publisher';

const REPLACES = 'The former list stays in the history. A refused list changes nothing.';
const CHANGES = 'A price of null removes the price. A refused request changes nothing.';
const CONFLICT = { 409: 'Another list than `version` is the newest.' };
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
  @ApiErrors(CONFLICT)
  publishModels(
    @CurrentActor() admin: Actor,
    @Body() { models }: PublishModelPricesDto,
    @Query() query: PublishQuery,
  ): Promise<ModelPublicationResponse> {
    return this.pricing.publishModels(models, publisherOf(admin, query));
  }

  @Patch('models')
  @ApiOperation({
    operationId: 'changeModelPrices',
    summary: 'Adds, changes or removes single prices of models.',
    description: CHANGES,
  })
  @ApiOkResponse({ description: PUBLISHED, type: ModelPublicationResponse })
  @ApiErrors(CONFLICT)
  changeModels(
    @CurrentActor() admin: Actor,
    @Body() { models }: ChangeModelPricesDto,
    @Query() query: PublishQuery,
  ): Promise<ModelPublicationResponse> {
    return this.pricing.changeModels(models, publisherOf(admin, query));
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
  @ApiErrors(CONFLICT)
  publishGpus(
    @CurrentActor() admin: Actor,
    @Body() { gpus }: PublishGpuPricesDto,
    @Query() query: PublishQuery,
  ): Promise<GpuPublicationResponse> {
    return this.pricing.publishGpus(gpus, publisherOf(admin, query));
  }

  @Patch('gpus')
  @ApiOperation({
    operationId: 'changeGpuPrices',
    summary: 'Adds, changes or removes single prices of GPUs.',
    description: CHANGES,
  })
  @ApiOkResponse({ description: PUBLISHED, type: GpuPublicationResponse })
  @ApiErrors(CONFLICT)
  changeGpus(
    @CurrentActor() admin: Actor,
    @Body() { gpus }: ChangeGpuPricesDto,
    @Query() query: PublishQuery,
  ): Promise<GpuPublicationResponse> {
    return this.pricing.changeGpus(gpus, publisherOf(admin, query));
  }
}

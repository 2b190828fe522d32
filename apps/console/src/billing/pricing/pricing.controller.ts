import { StaffOnly } from '@inference/guards';
import { Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Get, Patch, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { ListOrCsv } from '../../lists/csv-list';
import { ApiCachedResponse, type CacheableResponse, Cached } from '../../caching/cached.decorator';
import {
  CurrentTrainingPriceResponse,
  GpuPriceListResponse,
  GpuPublicationResponse,
  ModelPriceListResponse,
  ModelPublicationResponse,
  PricingResponse,
  PublishedTrainingPriceResponse,
} from './price-responses';
import {
  ChangeGpuPricesDto,
  ChangeModelPricesDto,
  PricingQuery,
  PublishGpuPricesDto,
  PublishModelPricesDto,
  PublishQuery,
  PublishTrainingPriceDto,
} from './pricing.dto';
import { PricingService } from './pricing.service';
import { publisherOf } from './publisher';
import { TrainingPriceService } from './training-price.service';

@Controller('api/pricing')
@ApiTags('Prices')
export class PricingController {
  constructor(private readonly pricing: PricingService) {}

  @Get()
  @Public()
  @Cached()
  @ApiOperation({ operationId: 'getPricing', summary: 'Returns the published prices of models and GPUs.' })
  @ApiCachedResponse({ description: 'The current price lists.', type: PricingResponse })
  read(@Query() { limit }: PricingQuery): Promise<CacheableResponse<PricingResponse>> {
    return this.pricing.read(limit ?? null);
  }
}

const REPLACES = 'The former list stays in the history. A refused list changes nothing.';
const CHANGES = 'A price of null removes the price. A refused request changes nothing.';
const CONFLICT = { 409: 'Another list than `version` is the newest.' };
const PUBLISHED = 'The published list, and what it added, changed and removed.';

@Controller('api/admin/billing/pricing')
@ApiTags('Administration of prices')
@StaffOnly()
export class AdminPricingController {
  constructor(private readonly pricing: PricingService) {}

  @Get('models')
  @ApiOperation({ operationId: 'listModelPrices', summary: 'Returns the current prices of models.' })
  @ListOrCsv({
    description: 'The whole list.',
    type: ModelPriceListResponse,
    rows: 'models',
    columns: [
      'slug',
      'unit',
      'price',
      'currency',
      'min_input_tokens',
      'service_tier',
      'hours',
      'effective_from',
    ],
  })
  async readModels(): Promise<ModelPriceListResponse> {
    return { models: await this.pricing.readModels() };
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
  @ApiOperation({ operationId: 'listGpuPrices', summary: 'Returns the current prices of GPUs.' })
  @ListOrCsv({
    description: 'The whole list.',
    type: GpuPriceListResponse,
    rows: 'gpus',
    columns: 'name hourly_price currency'.split(' '),
  })
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

/** The price that the training service shows and charges. No list of models or GPUs changes it. */
@Controller('api/admin/billing/pricing/training')
@ApiTags('Administration of prices')
@StaffOnly()
export class AdminTrainingPriceController {
  constructor(private readonly prices: TrainingPriceService) {}

  @Get()
  @ApiOperation({ operationId: 'getTrainingPrice', summary: 'Returns the current price of training.' })
  @ListOrCsv({
    description: 'The price.',
    type: CurrentTrainingPriceResponse,
    rows: 'training',
    columns: 'token_per_m gpu_hour currency'.split(' '),
  })
  async read(): Promise<CurrentTrainingPriceResponse> {
    return { training: await this.prices.read() };
  }

  @Put()
  @ApiOperation({
    operationId: 'publishTrainingPrice',
    summary: 'Replaces the price of training.',
    description: 'The former price stays in the history.',
  })
  @ApiOkResponse({ description: 'The published price.', type: PublishedTrainingPriceResponse })
  @ApiErrors({ 409: 'Another price than `version` is the newest.' })
  async publish(
    @CurrentActor() admin: Actor,
    @Body() price: PublishTrainingPriceDto,
    @Query() query: PublishQuery,
  ): Promise<PublishedTrainingPriceResponse> {
    return { training: await this.prices.publish(price, publisherOf(admin, query)) };
  }
}

import { Body, Controller, Get, Header, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import { CurrentTrainingPriceResponse, PublishedTrainingPriceResponse } from './price-responses';
import { PublishQuery, PublishTrainingPriceDto } from './pricing.dto';
import { publisherOf } from './publishing/publisher';
import { TrainingPriceService } from './training-price.service';

/** The price that the training service shows and charges. No list of models or GPUs changes it. */
@Controller('api/admin/billing/pricing/training')
@ApiTags('Administration of prices')
@Roles('admin')
export class AdminTrainingPriceController {
  constructor(private readonly prices: TrainingPriceService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'getTrainingPrice', summary: 'Returns the current price of training.' })
  @ApiOkResponse({ description: 'The price.', type: CurrentTrainingPriceResponse })
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

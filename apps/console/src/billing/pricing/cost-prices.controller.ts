import { StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { ListOrCsv } from '../../lists/csv-list';
import { PublishQuery } from './pricing.dto';
import { publisherOf } from './publisher';
import {
  CostPriceHistoryQuery,
  CostPriceHistoryResponse,
  CostPriceListResponse,
  CostPricePublicationResponse,
  CostPricesPath,
  PublishCostPricesDto,
} from './cost-prices.dto';
import { CostPricesService } from './cost-prices.service';

const MISSING = { 404: 'There is no such upstream.' };

@Controller('api/admin/upstreams/:id/cost-prices')
@ApiTags('Administration of models')
@StaffOnly()
export class CostPricesController {
  constructor(private readonly costPrices: CostPricesService) {}

  @Get()
  @ApiOperation({ operationId: 'listCostPrices', summary: 'Returns what an upstream takes for its models.' })
  @ListOrCsv({
    description: 'The whole list.',
    type: CostPriceListResponse,
    rows: 'cost_prices',
    columns: 'model unit price currency min_input_tokens service_tier hours effective_from'.split(' '),
  })
  @ApiErrors(MISSING)
  read(@Param() { id }: CostPricesPath): Promise<CostPriceListResponse> {
    return this.costPrices.read(id);
  }

  @Put()
  @ApiOperation({
    operationId: 'publishCostPrices',
    summary: 'Replaces what an upstream takes for its models.',
    description:
      'Calls that gateways make from two seconds later on cost so much. The former list stays in the history.',
  })
  @ApiOkResponse({
    description: 'The published list, and what it added, changed and removed.',
    type: CostPricePublicationResponse,
  })
  @ApiErrors({ ...MISSING, 409: 'Another list than `version` is the newest.' })
  publish(
    @CurrentActor() admin: Actor,
    @Param() { id }: CostPricesPath,
    @Body() { cost_prices: costPrices }: PublishCostPricesDto,
    @Query() query: PublishQuery,
  ): Promise<CostPricePublicationResponse> {
    return this.costPrices.publish(id, costPrices, publisherOf(admin, query));
  }

  @Get('history')
  @ApiOperation({
    operationId: 'listCostPriceHistory',
    summary: 'Lists what an upstream took for its models, newest list first.',
  })
  @ListOrCsv({
    description: 'A page of lists with their prices.',
    type: CostPriceHistoryResponse,
    rows: 'lists',
    each: 'cost_prices',
    columns:
      'id effective_from published_by published_by_email reason cost_prices.model cost_prices.unit cost_prices.price cost_prices.currency cost_prices.min_input_tokens cost_prices.service_tier cost_prices.hours cost_prices.effective_from'.split(
        ' ',
      ),
  })
  @ApiErrors(MISSING)
  history(
    @Param() { id }: CostPricesPath,
    @Query() query: CostPriceHistoryQuery,
  ): Promise<CostPriceHistoryResponse> {
    return this.costPrices.history(id, query);
  }
}

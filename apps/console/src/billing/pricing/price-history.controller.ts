import { StaffOnly } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  GpuHistoryQuery,
  GpuHistoryResponse,
  ModelHistoryQuery,
  ModelHistoryResponse,
  TrainingHistoryResponse,
} from './price-history.dto';
import { PriceHistoryService } from './price-history.service';

const PAGES = 'A page has fewer than `limit` lists if they are long.';

@Controller('api/admin/billing/pricing')
@ApiTags('Administration of prices')
@StaffOnly()
export class PriceHistoryController {
  constructor(private readonly history: PriceHistoryService) {}

  @Get('models/history')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listModelPriceHistory',
    summary: 'Lists all price lists of models, newest first, or the history of one model.',
    description: PAGES,
  })
  @ApiOkResponse({ description: 'A page of lists with their prices.', type: ModelHistoryResponse })
  models(@Query() { slug, ...query }: ModelHistoryQuery): Promise<ModelHistoryResponse> {
    return this.history.models(slug, query);
  }

  @Get('gpus/history')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listGpuPriceHistory',
    summary: 'Lists all price lists of GPUs, newest first, or the history of one GPU.',
    description: PAGES,
  })
  @ApiOkResponse({ description: 'A page of lists with their prices.', type: GpuHistoryResponse })
  gpus(@Query() { name, ...query }: GpuHistoryQuery): Promise<GpuHistoryResponse> {
    return this.history.gpus(name, query);
  }

  @Get('training/history')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listTrainingPriceHistory',
    summary: 'Lists all prices of training, newest first.',
  })
  @ApiOkResponse({ description: 'A page of prices.', type: TrainingHistoryResponse })
  training(@Query() query: PageQuery): Promise<TrainingHistoryResponse> {
    return this.history.training(query);
  }
}

import { StaffOnly } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
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
  @ApiOperation({
    operationId: 'listModelPriceHistory',
    summary: 'Lists all price lists of models, newest first, or the history of one model.',
    description: PAGES,
  })
  @ListOrCsv({
    description: 'A page of lists with their prices.',
    type: ModelHistoryResponse,
    rows: 'lists',
    each: 'models',
    columns:
      'id effective_from published_by published_by_email reason models.slug models.unit models.price models.currency models.min_input_tokens models.service_tier models.hours models.effective_from'.split(
        ' ',
      ),
  })
  models(@Query() { slug, ...query }: ModelHistoryQuery): Promise<ModelHistoryResponse> {
    return this.history.models(slug, query);
  }

  @Get('gpus/history')
  @ApiOperation({
    operationId: 'listGpuPriceHistory',
    summary: 'Lists all price lists of GPUs, newest first, or the history of one GPU.',
    description: PAGES,
  })
  @ListOrCsv({
    description: 'A page of lists with their prices.',
    type: GpuHistoryResponse,
    rows: 'lists',
    each: 'gpus',
    columns:
      'id effective_from published_by published_by_email reason gpus.name gpus.hourly_price gpus.currency'.split(
        ' ',
      ),
  })
  gpus(@Query() { name, ...query }: GpuHistoryQuery): Promise<GpuHistoryResponse> {
    return this.history.gpus(name, query);
  }

  @Get('training/history')
  @ApiOperation({
    operationId: 'listTrainingPriceHistory',
    summary: 'Lists all prices of training, newest first.',
  })
  @ListOrCsv({
    description: 'A page of prices.',
    type: TrainingHistoryResponse,
    rows: 'lists',
    columns:
      'id effective_from published_by published_by_email reason training.token_per_m training.gpu_hour training.currency'.split(
        ' ',
      ),
  })
  training(@Query() query: PageQuery): Promise<TrainingHistoryResponse> {
    return this.history.training(query);
  }
}

import { Controller, Get, Header } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { ValidQuery } from '@inference/http';
import {
  gpuHistoryQuery,
  type GpuHistoryQuery,
  modelHistoryQuery,
  type ModelHistoryQuery,
  trainingHistoryQuery,
  type TrainingHistoryQuery,
} from './price-history.dto';
import { PriceHistoryService } from './price-history.service';

/**
 * Every published price list, newest first. A page has up to `limit` lists, fewer if they are long; `next_cursor` is null
 * on the last page.
 */
@Controller('api/admin/billing/pricing')
@Roles('admin')
export class PriceHistoryController {
  constructor(private readonly history: PriceHistoryService) {}

  /** `{lists: [{id, effective_from, published_by, models: […]}], next_cursor}`; with `slug` the history of its price. */
  @Get('models/history')
  @Header('Cache-Control', 'no-store')
  models(@ValidQuery(modelHistoryQuery) { slug, ...query }: ModelHistoryQuery) {
    return this.history.models(slug, query);
  }

  /** `{lists: [{id, effective_from, published_by, gpus: […]}], next_cursor}`; with `name` the history of its price. */
  @Get('gpus/history')
  @Header('Cache-Control', 'no-store')
  gpus(@ValidQuery(gpuHistoryQuery) { name, ...query }: GpuHistoryQuery) {
    return this.history.gpus(name, query);
  }

  /** `{lists: [{id, effective_from, published_by, training: {…}}], next_cursor}` */
  @Get('training/history')
  @Header('Cache-Control', 'no-store')
  training(@ValidQuery(trainingHistoryQuery) query: TrainingHistoryQuery) {
    return this.history.training(query);
  }
}

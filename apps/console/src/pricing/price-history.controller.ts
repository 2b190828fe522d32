import { Controller, Get, Header } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { ValidQuery } from '@inference/http';
import {
  gpuHistoryQuery,
  type GpuHistoryQuery,
  modelHistoryQuery,
  type ModelHistoryQuery,
} from './price-history.dto';
import { PriceHistoryService } from './price-history.service';

/**
 * Every price list that was published, newest first. A page has up to `limit` lists, and fewer where they are long;
 * `next_cursor` is null after the last one.
 */
@Controller('api/admin/billing/pricing')
@Roles('admin')
export class PriceHistoryController {
  constructor(private readonly history: PriceHistoryService) {}

  /** `{lists: [{id, effective_from, published_by, models: […]}], next_cursor}`; with `slug` how its price went. */
  @Get('models/history')
  @Header('Cache-Control', 'no-store')
  models(@ValidQuery(modelHistoryQuery) { slug, ...query }: ModelHistoryQuery) {
    return this.history.models(slug, query);
  }

  /** `{lists: [{id, effective_from, published_by, gpus: […]}], next_cursor}`; with `name` how its price went. */
  @Get('gpus/history')
  @Header('Cache-Control', 'no-store')
  gpus(@ValidQuery(gpuHistoryQuery) { name, ...query }: GpuHistoryQuery) {
    return this.history.gpus(name, query);
  }
}

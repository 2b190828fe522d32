import { Database } from '@inference/database';
import { decodeCursor, encodeCursor, type PageQuery } from '@inference/http';
import { type PriceListKind } from '@inference/metering';
import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import {
  type GpuHistoryResponse,
  type ModelHistoryResponse,
  type PublishedListResponse,
  type TrainingHistoryResponse,
} from './price-history.dto';
import { listPublished, type PriceRows, type PublishedList, readPrices } from './price-lists.repository';
import { gpuPriceView, modelPriceView, trainingPriceView } from './price-responses';

/** Two lists of the largest size (5,000 rows). A page has at least one list. */
const MAX_ROWS_PER_PAGE = 10_000;
const LIST_ID = /^\d{1,18}$/;

interface HistoryPage<View> {
  lists: (PublishedListResponse & View)[];
  next_cursor: string | null;
}

/** Number of lists that fit on one page. */
function countOnPage(lists: PublishedList[], limit: number): number {
  let rows = 0;
  const beyond = lists.findIndex(({ size }, index) => {
    rows += size;
    return index === limit || (index > 0 && rows > MAX_ROWS_PER_PAGE);
  });
  return beyond < 0 ? lists.length : beyond;
}

/** All price lists that were published. */
@Injectable()
export class PriceHistoryService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** Price lists of models, newest first. With a slug: only the lists that changed the model's price, each with that price. */
  models(slug: string | undefined, query: PageQuery): Promise<ModelHistoryResponse> {
    return this.read('models', slug ?? null, query, (rows) => ({
      models: rows.map((row) => modelPriceView(row, this.site.currency)),
    }));
  }

  /** Price lists of GPUs, newest first. With a name: only the lists that changed the GPU's price, each with that price. */
  gpus(name: string | undefined, query: PageQuery): Promise<GpuHistoryResponse> {
    return this.read('gpus', name ?? null, query, (rows) => ({
      gpus: rows.map((row) => gpuPriceView(row, this.site.currency)),
    }));
  }

  /** Prices of training, newest first. */
  training(query: PageQuery): Promise<TrainingHistoryResponse> {
    return this.read('training', null, query, ([price]) => ({
      training: trainingPriceView(price!, this.site.currency),
    }));
  }

  private async read<K extends PriceListKind, View>(
    kind: K,
    name: string | null,
    { limit, cursor }: PageQuery,
    view: (rows: PriceRows[K][]) => View,
  ): Promise<HistoryPage<View>> {
    const cursorName = `price lists ${kind} ${name ?? ''}`;
    const beforeId = cursor === undefined ? null : decodeCursor(cursorName, cursor).id;
    if (beforeId !== null && !LIST_ID.test(beforeId)) throw new BadRequestException('cursor: is not valid');
    const found = await listPublished(this.database, kind, name, beforeId, limit + 1);
    const lists = found.slice(0, countOnPage(found, limit));
    const prices = await readPrices(
      this.database,
      kind,
      name,
      lists.map(({ id }) => id),
    );
    const last = lists.at(-1);
    return {
      lists: lists.map(({ id, effectiveFrom, publishedBy, publisherEmail, reason }) => ({
        id: String(id),
        effective_from: effectiveFrom.toISOString(),
        published_by: publishedBy,
        published_by_email: publisherEmail,
        reason,
        ...view(prices.get(id)!),
      })),
      next_cursor: last && found.length > lists.length ? encodeCursor(cursorName, last.position) : null,
    };
  }
}

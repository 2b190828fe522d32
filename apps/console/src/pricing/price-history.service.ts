import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { type Currency, CURRENCY_BY_SITE } from '@inference/config';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { decodeCursor, encodeCursor, type PageQuery } from '@inference/http';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type PublishedListView } from './price-history.dto';
import { listPublished, type PriceRows, type PublishedList, readPrices } from './price-history.store';
import { gpuPriceView, type GpuPriceView, modelPriceView, type ModelPriceView } from './price-views';
import { type Kind } from './pricing.service';

/** A list may have 5,000; a page has at least one list whatever its size. */
const MAX_ROWS = 10_000;
const LIST_ID = /^\d{1,18}$/;

export interface HistoryPage<View> {
  lists: (PublishedListView & View)[];
  next_cursor: string | null;
}

/** How many of them come on one page. */
function fitting(lists: PublishedList[], limit: number): number {
  let rows = 0;
  const beyond = lists.findIndex(({ size }, index) => {
    rows += size;
    return index === limit || (index > 0 && rows > MAX_ROWS);
  });
  return beyond < 0 ? lists.length : beyond;
}

/** The price lists that were ever published. */
@Injectable()
export class PriceHistoryService {
  private readonly currency: Currency;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) config: ConsoleConfig,
  ) {
    this.currency = CURRENCY_BY_SITE[config.SITE];
  }

  /** Newest first; with a slug, how the price of that model went: the lists that changed it. */
  models(slug: string | undefined, query: PageQuery): Promise<HistoryPage<{ models: ModelPriceView[] }>> {
    return this.read('models', slug ?? null, query, (rows) => ({
      models: rows.map((row) => modelPriceView(row, this.currency)),
    }));
  }

  /** The same for GPUs. */
  gpus(name: string | undefined, query: PageQuery): Promise<HistoryPage<{ gpus: GpuPriceView[] }>> {
    return this.read('gpus', name ?? null, query, (rows) => ({
      gpus: rows.map((row) => gpuPriceView(row, this.currency)),
    }));
  }

  private async read<K extends Kind, View>(
    kind: K,
    name: string | null,
    { limit, cursor }: PageQuery,
    view: (rows: PriceRows[K][]) => View,
  ): Promise<HistoryPage<View>> {
    const cursorName = `price lists ${kind} ${name ?? ''}`;
    const beforeId = cursor === undefined ? null : decodeCursor(cursorName, cursor).id;
    if (beforeId !== null && !LIST_ID.test(beforeId)) throw new BadRequestException('cursor: is not valid');
    const found = await listPublished(this.pool, kind, name, beforeId, limit + 1);
    const lists = found.slice(0, fitting(found, limit));
    const prices = await readPrices(
      this.pool,
      kind,
      name,
      lists.map(({ id }) => id),
    );
    const last = lists.at(-1);
    return {
      lists: lists.map(({ id, effectiveFrom, publishedBy }) => ({
        id: String(id),
        effective_from: effectiveFrom.toISOString(),
        published_by: publishedBy,
        ...view(prices.get(id)!),
      })),
      next_cursor: last && found.length > lists.length ? encodeCursor(cursorName, last.position) : null,
    };
  }
}

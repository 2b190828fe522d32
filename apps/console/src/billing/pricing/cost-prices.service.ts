import { Database, type Executor } from '@inference/database';
import { decodeCursor, encodeCursor, type PageQuery } from '@inference/http';
import { lockDirectory } from '@inference/serving';
import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { listFaults } from './price-list-faults';
import { listAt, MAX_ROWS, priceKey, repeatedPrices, TOO_MANY_ROWS } from './price-list-rules';
import { readNewestPrices } from './price-lists.repository';
import { modelPriceView } from './price-responses';
import { changesBetween, modelRow, refuse } from './pricing.service';
import { publicationOf, type Publisher, reasonOf } from './publisher';
import { belowCostWarnings, pricesBelowCost } from './below-cost';
import {
  type CostPriceDto,
  type CostPriceHistoryResponse,
  type CostPriceListResponse,
  type CostPricePublicationResponse,
  type CostPriceResponse,
} from './cost-prices.dto';
import {
  type CostPriceRow,
  insertCosts,
  listCosts,
  lockCostPrices,
  readCosts,
  readNewestCosts,
  readServedCosts,
  readUpstreamName,
} from './cost-prices.repository';

const LIST_ID = /^\d{1,18}$/;
/** The version before the first list. */
const NO_LIST = '0';

/** What the upstreams take. A new list replaces the former one of its upstream, which stays as history. */
@Injectable()
export class CostPricesService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** Throws 404. */
  async read(upstreamId: string): Promise<CostPriceListResponse> {
    await requireUpstream(this.database, upstreamId);
    const newest = await readNewestCosts(this.database, upstreamId);
    return {
      version: newest ? String(newest.id) : NO_LIST,
      cost_prices: listAt(newest?.prices ?? [], new Date()).map(this.view),
    };
  }

  /** Replaces the list of an upstream. Throws 400 for a list that cannot be, 404, and 409 for another version. */
  async publish(
    upstreamId: string,
    fields: CostPriceDto[],
    publisher: Publisher,
  ): Promise<CostPricePublicationResponse> {
    const rows = fields.map((price) => modelRow({ ...price, slug: price.model }));
    refuse('cost_prices', repeatedPrices(rows));
    refuse('cost_prices', listFaults(rows));
    if (rows.length > MAX_ROWS) throw new BadRequestException(`cost_prices: ${TOO_MANY_ROWS}`);
    const { currency } = this.site;
    const wrong = fields.findIndex((price) => price.currency !== undefined && price.currency !== currency);
    if (wrong >= 0)
      throw new BadRequestException(`cost_prices.${wrong}.currency: this site's currency is ${currency}`);
    const after = listAt(rows, new Date());
    if (publisher === null) {
      await requireUpstream(this.database, upstreamId);
      return this.publication(this.database, upstreamId, after);
    }
    return this.database.transaction(async (transaction) => {
      // Gateways read the list with the upstreams, and are told of it.
      await lockDirectory(transaction);
      await lockCostPrices(transaction, upstreamId);
      const upstream = await requireUpstream(transaction, upstreamId);
      const newest = String((await readNewestCosts(transaction, upstreamId))?.id ?? NO_LIST);
      if (publisher.version !== undefined && publisher.version !== newest)
        throw new ConflictException(
          `version: ${newest} was published meanwhile; compare with it and try again`,
        );
      const answer = await this.publication(transaction, upstreamId, after);
      await insertCosts(transaction, upstreamId, after, publicationOf(publisher));
      await recordActorEvent(transaction, publisher.admin, 'admin.prices_published', {
        list: 'cost',
        upstream,
        rows: after.length,
        ...reasonOf(publisher),
      });
      return answer;
    });
  }

  /** Throws 404, also for an upstream that was removed. */
  async history(upstreamId: string, { limit, cursor }: PageQuery): Promise<CostPriceHistoryResponse> {
    await requireUpstream(this.database, upstreamId);
    const cursorName = `cost prices ${upstreamId}`;
    const beforeId = cursor === undefined ? null : decodeCursor(cursorName, cursor).id;
    if (beforeId !== null && !LIST_ID.test(beforeId)) throw new BadRequestException('cursor: is not valid');
    const found = await listCosts(this.database, upstreamId, beforeId, limit + 1);
    const lists = found.slice(0, limit);
    const shown: CostPriceHistoryResponse['lists'] = [];
    for (const list of lists)
      shown.push({
        id: String(list.id),
        effective_from: list.effectiveFrom.toISOString(),
        published_by: list.publishedBy,
        published_by_email: list.publisherEmail,
        reason: list.reason,
        cost_prices: (await readCosts(this.database, list.id)).map(this.view),
      });
    const last = lists.at(-1);
    return {
      lists: shown,
      next_cursor: last && found.length > lists.length ? encodeCursor(cursorName, last.position) : null,
    };
  }

  private async publication(
    executor: Executor,
    upstreamId: string,
    after: CostPriceRow[],
  ): Promise<CostPricePublicationResponse> {
    const now = new Date();
    const before = listAt((await readNewestCosts(executor, upstreamId))?.prices ?? [], now);
    const { added, changed, removed } = changesBetween(before, after, priceKey, (row) => row.ratePicos);
    const served = (await readServedCosts(executor, upstreamId)).map((row) => ({ ...row, prices: after }));
    const below = pricesBelowCost(await readNewestPrices(executor, 'models', null), served, now);
    return {
      cost_prices: after.map(this.view),
      added: added.map(this.view),
      changed: changed.map(({ row, before: old }) => ({
        ...this.view(row),
        previous_price: this.view(old).price,
      })),
      removed: removed.map(this.view),
      warnings: belowCostWarnings(below),
      below_cost: below,
    };
  }

  private readonly view = (row: CostPriceRow): CostPriceResponse => {
    const { slug: model, ...price } = modelPriceView(row, this.site.currency);
    return { model, ...price };
  };
}

/** Returns the name of the upstream. Throws 404. */
async function requireUpstream(executor: Executor, id: string): Promise<string> {
  const name = await readUpstreamName(executor, id);
  if (name === null) throw new NotFoundException('no such upstream');
  return name;
}

import { type Currency } from '@inference/config';
import { Database, type Executor, type Transaction } from '@inference/database';
import { EVERY_MODEL, type ServedModel } from '@inference/serving';
import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { readLastChange } from '../../caching/catalogue-changes.repository';
import { readServedModels } from '../../inference/serving/serving.repository';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { belowCostWarnings, pricesBelowCost } from './below-cost';
import { readServedCosts } from './cost-prices.repository';
import { listFaults } from './price-list-faults';
import {
  listAt,
  MAX_ROWS,
  priceBefore,
  priceKey,
  repeatedNames,
  repeatedPrices,
  type RowFault,
  TOO_MANY_ROWS,
} from './price-list-rules';
import {
  type GpuPriceRow,
  insertGpuPrices,
  insertModelPrices,
  type ModelPriceRow,
  type NewPublication,
  readNewestPrices,
} from './price-lists.repository';
import {
  type GpuPriceResponse,
  gpuPriceView,
  type GpuPublicationResponse,
  type ModelDetailsResponse,
  type ModelPriceResponse,
  modelPriceView,
  type ModelPublicationResponse,
  offeredPrices,
  type OfferedModelPriceResponse,
  type PricingResponse,
} from './price-responses';
import {
  type GpuPriceChangeDto,
  type GpuPriceDto,
  type ModelPriceChangeDto,
  type ModelPriceDto,
} from './pricing.dto';
import { lockListsFor, publicationOf, type Publisher, reasonOf } from './publisher';

/** One of the lists that are published row by row. */
interface ListAccess<Row> {
  kind: 'models' | 'gpus';
  /** The list as it stands now. */
  read(executor: Executor): Promise<Row[]>;
  insert(transaction: Transaction, rows: Row[], publication: NewPublication): Promise<void>;
}
const MODELS: ListAccess<ModelPriceRow> = {
  kind: 'models',
  read: async (executor) => listAt(await readNewestPrices(executor, 'models', null), new Date()),
  insert: insertModelPrices,
};
const GPUS: ListAccess<GpuPriceRow> = {
  kind: 'gpus',
  read: (executor) => readNewestPrices(executor, 'gpus', null),
  insert: insertGpuPrices,
};

const MICROS_PER_MILLI = 1_000n;

/** A price with a null in place of picos is removed. */
type ModelChange = Omit<ModelPriceRow, 'ratePicos'> & { ratePicos: bigint | null };
type GpuChange = Omit<GpuPriceRow, 'hourlyPricePicos'> & { hourlyPricePicos: bigint | null };

/** A price as it is stored. */
export const modelRow = <Price extends bigint | null>({
  slug,
  unit,
  price,
  min_input_tokens: minInputTokens = null,
  service_tier: serviceTier = null,
  hours = null,
  effective_from: effectiveFrom,
}: Omit<ModelPriceDto, 'price'> & { price: Price }) => ({
  slug,
  unit,
  ratePicos: price,
  minInputTokens,
  serviceTier,
  hours,
  effectiveFrom: effectiveFrom ? new Date(Number(effectiveFrom / MICROS_PER_MILLI)) : null,
});
const gpuRow = <Price extends bigint | null>({
  name,
  hourly_price: price,
}: Omit<GpuPriceDto, 'hourly_price'> & { hourly_price: Price }) => ({
  name,
  hourlyPricePicos: price,
});
const gpuKey = ({ name }: GpuChange) => name;

/** What is known of the models beside their prices. */
function detailsOf(
  models: OfferedModelPriceResponse[],
  served: readonly ServedModel[],
): ModelDetailsResponse[] {
  const bySlug = new Map(served.map((model) => [model.slug, model]));
  return [...new Set(models.map(({ slug }) => slug))].flatMap((slug) => {
    const details = bySlug.get(slug) ?? bySlug.get(EVERY_MODEL);
    const shown = {
      context_tokens: details?.contextTokens ?? null,
      max_output_tokens: details?.maxOutputTokens ?? null,
      input_modalities: details?.inputModalities ?? null,
      output_modalities: details?.outputModalities ?? null,
    };
    return Object.values(shown).some((fact) => fact !== null) ? [{ slug, ...shown }] : [];
  });
}

/** The published prices of models and GPUs. A new list replaces the previous one, which stays as history. */
@Injectable()
export class PricingService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** The current lists, each with up to `limit` rows; null: all. */
  async read(limit: number | null): Promise<CacheableResponse<PricingResponse>> {
    const changedAt = await readLastChange(this.database, 'prices');
    const [prices, gpus] = await Promise.all([
      readNewestPrices(this.database, 'models', null),
      this.readGpus(limit),
    ]);
    const models = offeredPrices(prices, this.site.currency, new Date()).slice(0, limit ?? undefined);
    // Changes of the details have no date among those of the prices.
    const model_details = detailsOf(models, await readServedModels(this.database));
    // A price that becomes effective changes the answer without a publication.
    const hasOwnDate = model_details.length === 0 && prices.every(({ effectiveFrom }) => !effectiveFrom);
    return { body: { models, model_details, gpus }, changedAt: hasOwnDate ? changedAt : null };
  }

  /** All prices of the current list. */
  async readModels(): Promise<ModelPriceResponse[]> {
    return (await MODELS.read(this.database)).map((row) => modelPriceView(row, this.site.currency));
  }

  /** Up to `limit` rows; null: all. */
  async readGpus(limit: number | null): Promise<GpuPriceResponse[]> {
    const rows = await readNewestPrices(this.database, 'gpus', limit);
    return rows.map((row) => gpuPriceView(row, this.site.currency));
  }

  /** Replaces the list. Throws 400 for a list that cannot be. */
  async publishModels(models: ModelPriceDto[], publisher: Publisher): Promise<ModelPublicationResponse> {
    const rows = models.map(modelRow);
    refuse('models', repeatedPrices(rows));
    refuse('models', listFaults(rows));
    this.requireSiteCurrency('models', models);
    return this.modelsView(await this.change(MODELS, publisher, () => listAt(rows, new Date())));
  }

  /** Adds, changes or removes single prices. Throws 400 if the whole list would be invalid. */
  async changeModels(models: ModelPriceChangeDto[], publisher: Publisher): Promise<ModelPublicationResponse> {
    const now = new Date();
    // A time that has passed names the price that has become effective meanwhile.
    const changes = models
      .map(modelRow)
      .map((row) => (row.effectiveFrom && row.effectiveFrom <= now ? { ...row, effectiveFrom: null } : row));
    refuse('models', repeatedPrices(changes));
    this.requireSiteCurrency('models', models);
    const isPrice = (row: ModelChange): row is ModelPriceRow => row.ratePicos !== null;
    const merged = await this.change(MODELS, publisher, (before) => {
      const after = mergePrices(before, changes, priceKey, isPrice);
      const [fault] = listFaults(after);
      if (fault) throw new BadRequestException(`models: ${fault.message}`);
      return listAt(after, new Date());
    });
    return this.modelsView(merged);
  }

  /** Replaces the list. Throws 400 for a list that cannot be. */
  async publishGpus(gpus: GpuPriceDto[], publisher: Publisher): Promise<GpuPublicationResponse> {
    refuse('gpus', repeatedNames(gpus));
    this.requireSiteCurrency('gpus', gpus);
    return this.gpusView(await this.change(GPUS, publisher, () => gpus.map(gpuRow)));
  }

  /** Adds, changes or removes single prices. */
  async changeGpus(gpus: GpuPriceChangeDto[], publisher: Publisher): Promise<GpuPublicationResponse> {
    refuse('gpus', repeatedNames(gpus));
    this.requireSiteCurrency('gpus', gpus);
    const isPrice = (row: GpuChange): row is GpuPriceRow => row.hourlyPricePicos !== null;
    return this.gpusView(
      await this.change(GPUS, publisher, (before) => mergePrices(before, gpus.map(gpuRow), gpuKey, isPrice)),
    );
  }

  private requireSiteCurrency(list: string, rows: { currency?: Currency | undefined }[]): void {
    const wrong = rows.findIndex(({ currency }) => currency !== undefined && currency !== this.site.currency);
    if (wrong < 0) return;
    throw new BadRequestException(`${list}.${wrong}.currency: this site's currency is ${this.site.currency}`);
  }

  /** Stores the list that `next` makes of the current one, or only returns both if nobody publishes. */
  private async change<Row>(
    list: ListAccess<Row>,
    publisher: Publisher,
    next: (before: Row[]) => Row[],
  ): Promise<{ before: Row[]; after: Row[] }> {
    const changeIn = async (executor: Executor) => {
      const before = await list.read(executor);
      const after = next(before);
      if (after.length > MAX_ROWS) throw new BadRequestException(`${list.kind}: ${TOO_MANY_ROWS}`);
      return { before, after };
    };
    if (publisher === null) return changeIn(this.database);
    return this.database.transaction(async (transaction) => {
      await lockListsFor(transaction, list.kind, publisher);
      const lists = await changeIn(transaction);
      await list.insert(transaction, lists.after, publicationOf(publisher));
      const details = { list: list.kind, rows: lists.after.length, ...reasonOf(publisher) };
      await recordActorEvent(transaction, publisher.admin, 'admin.prices_published', details);
      return lists;
    });
  }

  private async modelsView({
    before,
    after,
  }: Record<'before' | 'after', ModelPriceRow[]>): Promise<ModelPublicationResponse> {
    const view = (row: ModelPriceRow) => modelPriceView(row, this.site.currency);
    const { added, changed, removed } = changesBetween(before, after, priceKey, (row) => row.ratePicos);
    // An upcoming price is compared with the one that it replaces, too.
    const formers = (row: ModelPriceRow) => [priceBefore(row, after) ?? priceBefore(row, before)];
    const compared = [
      ...changed.map(({ row, before: old }) => ({ row, former: [old, ...formers(row)] })),
      ...added.map((row) => ({ row, former: formers(row) })),
    ];
    const touched = new Set(compared.map(({ row }) => row.slug));
    const published = after.filter(({ slug }) => touched.has(slug));
    const served = published.length > 0 ? await readServedCosts(this.database) : [];
    const below = pricesBelowCost(published, served, new Date());
    return {
      models: after.map(view),
      added: added.map(view),
      changed: changed.map(({ row, before: old }) => ({ ...view(row), previous_price: view(old).price })),
      removed: removed.map(view),
      warnings: [
        ...compared
          .filter(({ row, former }) => former.some((old) => old && isLarge(old.ratePicos, row.ratePicos)))
          .map(({ row }) => `${row.slug} ${row.unit}: ${LARGE_CHANGE}`),
        ...belowCostWarnings(below),
      ],
      below_cost: below,
    };
  }

  private gpusView({ before, after }: Record<'before' | 'after', GpuPriceRow[]>): GpuPublicationResponse {
    const view = (row: GpuPriceRow) => gpuPriceView(row, this.site.currency);
    const { added, changed, removed } = changesBetween(before, after, gpuKey, (row) => row.hourlyPricePicos);
    return {
      gpus: after.map(view),
      added: added.map(view),
      changed: changed.map(({ row, before: old }) => {
        return { ...view(row), previous_hourly_price: view(old).hourly_price };
      }),
      removed: removed.map(view),
      warnings: changed
        .filter(({ row, before: old }) => isLarge(old.hourlyPricePicos, row.hourlyPricePicos))
        .map(({ row }) => `${row.name}: ${LARGE_CHANGE}`),
    };
  }
}

const LARGE_CHANGE = 'changes by half or more';

/** Whether a price rises or falls by half or more, which may be a slip of a digit. A price of 0 has no percentage. */
const isLarge = (before: bigint, after: bigint): boolean =>
  before > 0n && 2n * (after > before ? after - before : before - after) >= before;

/** Throws 400 that names every row which cannot be in the list. */
export function refuse(list: string, faults: RowFault[]): void {
  if (faults.length === 0) return;
  throw new BadRequestException(
    faults.map(({ index, field, message }) => `${list}.${index}.${field}: ${message}`).join('; '),
  );
}

/** How a list differs from the one before. */
interface PriceChanges<Row> {
  added: Row[];
  changed: { row: Row; before: Row }[];
  removed: Row[];
}

/** @param keyOf identifies a price within its list @param picosOf the price */
export function changesBetween<Row>(
  before: readonly Row[],
  after: readonly Row[],
  keyOf: (row: Row) => string,
  picosOf: (row: Row) => bigint,
): PriceChanges<Row> {
  const old = new Map(before.map((row) => [keyOf(row), row]));
  const kept = new Set(after.map(keyOf));
  const changes: PriceChanges<Row> = { added: [], changed: [], removed: [] };
  for (const row of after) {
    const former = old.get(keyOf(row));
    if (former === undefined) changes.added.push(row);
    else if (picosOf(former) !== picosOf(row)) changes.changed.push({ row, before: former });
  }
  changes.removed = before.filter((row) => !kept.has(keyOf(row)));
  return changes;
}

/** Returns the list with changed prices in their places, new ones at its end, and without those whose new price is null. */
function mergePrices<Row, Change>(
  before: readonly Row[],
  changes: readonly Change[],
  keyOf: (row: Row | Change) => string,
  isPrice: (change: Row | Change) => change is Row,
): Row[] {
  const byKey = new Map(changes.map((change) => [keyOf(change), change]));
  const known = new Set(before.map(keyOf));
  const added = changes.filter((change) => !known.has(keyOf(change)));
  return [...before.map((row) => byKey.get(keyOf(row)) ?? row), ...added].filter(isPrice);
}

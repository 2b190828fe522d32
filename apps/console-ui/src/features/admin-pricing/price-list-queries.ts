import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { AS_CSV } from '../../components/csv-button';
import { pricingQuery } from '../pricing/pricing-queries';
import {
  keyOfLine,
  type LineChange,
  linesAt,
  type LineUnit,
  type PriceLine,
  type PriceUnit,
} from './price-line';

export type PriceKind = 'models' | 'gpus' | 'training' | 'costs';

/** A list of the site, or what an upstream takes. */
export type PriceSource = { kind: Exclude<PriceKind, 'costs'> } | { kind: 'costs'; upstreamId: string };

/** Unlike that of any other list. */
export const sourceKey = (source: PriceSource): string =>
  source.kind === 'costs' ? `costs-${source.upstreamId}` : source.kind;

/** A published list. */
export interface PriceList {
  version: string;
  publishedAt: string | null;
  /** Account id of the admin. */
  publishedBy: string | null;
  publisherEmail: string | null;
  /** Why it was published. */
  reason: string | null;
  lines: PriceLine[];
}

/** What stands before the first publication. */
const NO_LIST: PriceList = {
  version: '0',
  publishedAt: null,
  publishedBy: null,
  publisherEmail: null,
  reason: null,
  lines: [],
};
/** One list more than is shown, to compare the last one with. */
const PAGE_LISTS = 11;
const PRICES = ['admin-prices'];

const unitLine = (
  name: string,
  { unit, price, currency: _, ...terms }: Omit<Schemas['CostPriceResponse'], 'model'>,
): PriceLine => ({ name, unit, price, ...(Object.keys(terms).length > 0 && { terms }) });
const modelLines = ({ models }: Schemas['PublishedModelListResponse']): PriceLine[] =>
  models.map(({ slug, ...price }) => unitLine(slug, price));
const costLines = ({ cost_prices: prices }: Schemas['PublishedCostPriceListResponse']): PriceLine[] =>
  prices.map(({ model, ...price }) => unitLine(model, price));
const gpuLines = ({ gpus }: Schemas['PublishedGpuListResponse']): PriceLine[] =>
  gpus.map(({ name, hourly_price: price }) => ({ name, unit: 'hour', price }));
const trainingLines = ({ training }: Schemas['PublishedTrainingListResponse']): PriceLine[] => [
  { name: '', unit: 'training_tokens', price: training.token_per_m },
  ...(training.gpu_hour ? [{ name: '', unit: 'training_hour' as const, price: training.gpu_hour }] : []),
];

const listOf =
  <
    Published extends Pick<
      Schemas['PublishedModelListResponse'],
      'id' | 'effective_from' | 'published_by' | 'published_by_email' | 'reason'
    >,
  >(
    linesOf: (published: Published) => PriceLine[],
  ) =>
  (published: Published): PriceList => ({
    version: published.id,
    publishedAt: published.effective_from,
    publishedBy: published.published_by,
    publisherEmail: published.published_by_email,
    reason: published.reason,
    lines: linesOf(published),
  });

interface HistoryPage {
  lists: PriceList[];
  nextCursor: string | null;
}

async function readHistory(
  api: ConsoleApi,
  source: PriceSource,
  query: { limit: number; cursor?: string },
  signal: AbortSignal,
): Promise<HistoryPage> {
  const { kind } = source;
  const options = { params: { query }, signal };
  if (kind === 'costs') {
    const params = { path: { id: source.upstreamId }, query };
    const page = await bodyOf(api.GET('/api/admin/upstreams/{id}/cost-prices/history', { params, signal }));
    return { lists: page.lists.map(listOf(costLines)), nextCursor: page.next_cursor };
  }
  if (kind === 'models') {
    const page = await bodyOf(api.GET('/api/admin/billing/pricing/models/history', options));
    return { lists: page.lists.map(listOf(modelLines)), nextCursor: page.next_cursor };
  }
  if (kind === 'gpus') {
    const page = await bodyOf(api.GET('/api/admin/billing/pricing/gpus/history', options));
    return { lists: page.lists.map(listOf(gpuLines)), nextCursor: page.next_cursor };
  }
  const page = await bodyOf(api.GET('/api/admin/billing/pricing/training/history', options));
  return { lists: page.lists.map(listOf(trainingLines)), nextCursor: page.next_cursor };
}

/** The whole history as CSV. */
export function readHistoryCsv(api: ConsoleApi, source: PriceSource): Promise<{ data?: unknown }> {
  if (source.kind === 'costs') {
    const params = { path: { id: source.upstreamId } };
    return api.GET('/api/admin/upstreams/{id}/cost-prices/history', { ...AS_CSV, params });
  }
  return api.GET(`/api/admin/billing/pricing/${source.kind}/history`, AS_CSV);
}

/** The list in force with its version. */
export const newestListQuery = (api: ConsoleApi, source: PriceSource) =>
  queryOptions({
    queryKey: [...PRICES, sourceKey(source), 'newest'],
    queryFn: async ({ signal }) => {
      const [newest] = (await readHistory(api, source, { limit: 1 }, signal)).lists;
      return newest ? { ...newest, lines: linesAt(newest.lines, new Date()) } : NO_LIST;
    },
    // The editor would lose what was typed.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export const priceHistoryQuery = (api: ConsoleApi, source: PriceSource) =>
  infiniteQueryOptions({
    queryKey: [...PRICES, sourceKey(source), 'history'],
    queryFn: ({ signal, pageParam }) =>
      readHistory(
        api,
        source,
        { limit: PAGE_LISTS, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** All upstreams by name. */
export const upstreamNamesQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['admin-upstream-names'],
    queryFn: async ({ signal }) => {
      const { upstreams } = await bodyOf(api.GET('/api/admin/upstreams', { signal }));
      return upstreams.map(({ id, name }) => ({ id, name }));
    },
  });

/** The models that a list may have prices of: those that the site serves, or by the upstream’s own names those that it has. */
export const modelNamesQuery = (api: ConsoleApi, source: PriceSource) =>
  queryOptions({
    queryKey: ['admin-price-models', sourceKey(source)],
    queryFn: async ({ signal }) => {
      if (source.kind === 'costs') {
        const { upstreams } = await bodyOf(api.GET('/api/admin/upstreams', { signal }));
        const models = upstreams.find(({ id }) => id === source.upstreamId)?.models ?? [];
        return models.map(({ model, upstream_name: name }) => name ?? model).filter((name) => name !== '*');
      }
      const { models, figures } = await bodyOf(api.GET('/api/admin/inference/models', { signal }));
      return [...models, ...figures].map(({ slug }) => slug);
    },
    enabled: source.kind === 'models' || source.kind === 'costs',
  });

export interface Publication {
  /** The list that the changes are based on. */
  base: PriceList;
  changes: LineChange[];
  /** What the base becomes. */
  after: readonly PriceLine[];
  /** For the history; empty: none. */
  reason: string;
}

export type BelowCost = Schemas['BelowCostResponse'];

/** Publishes, or with `dry_run` only finds the prices that would be below cost. */
async function publish(
  api: ConsoleApi,
  source: PriceSource,
  { changes, after }: Pick<Publication, 'changes' | 'after'>,
  query: { version?: string; reason?: string; dry_run?: boolean },
): Promise<BelowCost[]> {
  if (source.kind === 'costs') {
    const params = { path: { id: source.upstreamId }, query };
    const body = { cost_prices: after.map(({ name, ...price }) => ({ model: name, ...unitPrice(price) })) };
    return (await bodyOf(api.PUT('/api/admin/upstreams/{id}/cost-prices', { params, body }))).below_cost;
  }
  const params = { query };
  if (source.kind === 'models') {
    const models = changes.map(({ name, unit, terms, after: price }) => ({
      slug: name,
      ...unitPrice({ unit, terms, price: price ?? null }),
    }));
    const options = { params, body: { models } };
    return (await bodyOf(api.PATCH('/api/admin/billing/pricing/models', options))).below_cost;
  }
  if (source.kind === 'gpus') {
    const gpus = changes.map(({ name, after: price }) => ({ name, hourly_price: price ?? null }));
    await api.PATCH('/api/admin/billing/pricing/gpus', { params, body: { gpus } });
    return [];
  }
  const priceOf = (unit: LineUnit) => after.find((line) => line.unit === unit)?.price;
  const [tokens, hour] = [priceOf('training_tokens'), priceOf('training_hour')];
  if (!tokens || !hour) throw new Error('training needs both of its prices');
  await api.PUT('/api/admin/billing/pricing/training', {
    params,
    body: { token_per_m: tokens, gpu_hour: hour },
  });
  return [];
}

const unitPrice = <Price>({ unit, terms, price }: Pick<PriceLine, 'unit' | 'terms'> & { price: Price }) => ({
  unit: unit as PriceUnit,
  ...terms,
  price,
});

/** The prices that a publication would leave below what an active upstream takes. */
export function useBelowCost(
  source: PriceSource,
  { changes, after }: Pick<Publication, 'changes' | 'after'>,
) {
  const api = useConsoleApi();
  const comparesCosts = source.kind === 'models' || source.kind === 'costs';
  return useQuery({
    queryKey: [
      ...PRICES,
      sourceKey(source),
      'below-cost',
      after.map((line) => `${keyOfLine(line)} ${line.price.toString()}`),
    ],
    queryFn: () => publish(api, source, { changes, after }, { dry_run: true }),
    enabled: comparesCosts && changes.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
}

/** Refuses with 409 if somebody else has published since the base. */
export function usePublishPrices(source: PriceSource) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ base: { version }, reason, ...publication }: Publication) =>
      publish(api, source, publication, { version, ...(reason && { reason }) }),
    onSuccess: () => refreshPrices(queryClient, api),
  });
}

/** The public list, too: the browser keeps it for a minute otherwise. */
async function refreshPrices(queryClient: QueryClient, api: ConsoleApi): Promise<void> {
  await api.GET('/api/pricing', { cache: 'reload' }).catch(() => undefined);
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: PRICES }),
    queryClient.invalidateQueries({ queryKey: pricingQuery(api).queryKey }),
  ]);
}

import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { pricingQuery } from '../pricing/pricing-queries';
import { type LineChange, linesAt, type PriceLine, type PriceUnit } from './price-line';

export type PriceKind = 'models' | 'gpus' | 'training';

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

const modelLines = ({ models }: Schemas['PublishedModelListResponse']): PriceLine[] =>
  models.map(({ slug, unit, price, currency: _, ...terms }) => ({
    name: slug,
    unit,
    price,
    ...(Object.keys(terms).length > 0 && { terms }),
  }));
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
  kind: PriceKind,
  query: { limit: number; cursor?: string },
  signal: AbortSignal,
): Promise<HistoryPage> {
  const options = { params: { query }, signal };
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

/** The list in force with its version. */
export const newestListQuery = (api: ConsoleApi, kind: PriceKind) =>
  queryOptions({
    queryKey: [...PRICES, kind, 'newest'],
    queryFn: async ({ signal }) => {
      const [newest] = (await readHistory(api, kind, { limit: 1 }, signal)).lists;
      return newest ? { ...newest, lines: linesAt(newest.lines, new Date()) } : NO_LIST;
    },
    // The editor would lose what was typed.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export const priceHistoryQuery = (api: ConsoleApi, kind: PriceKind) =>
  infiniteQueryOptions({
    queryKey: [...PRICES, kind, 'history'],
    queryFn: ({ signal, pageParam }) =>
      readHistory(api, kind, { limit: PAGE_LISTS, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export interface Publication {
  /** The list that the changes are based on. */
  base: PriceList;
  changes: LineChange[];
  /** For the history; empty: none. */
  reason: string;
}

async function publish(
  api: ConsoleApi,
  kind: PriceKind,
  { base, changes, reason }: Publication,
): Promise<void> {
  const params = { query: { version: base.version, ...(reason && { reason }) } };
  if (kind === 'models') {
    const models = changes.map(({ name: slug, unit, terms, after }) => ({
      slug,
      unit: unit as PriceUnit,
      ...terms,
      price: after ?? null,
    }));
    await api.PATCH('/api/admin/billing/pricing/models', { params, body: { models } });
  } else if (kind === 'gpus') {
    const gpus = changes.map(({ name, after }) => ({ name, hourly_price: after ?? null }));
    await api.PATCH('/api/admin/billing/pricing/gpus', { params, body: { gpus } });
  } else {
    const prices = new Map(base.lines.map(({ unit, price }) => [unit, price]));
    for (const { unit, after } of changes) if (after) prices.set(unit, after);
    const [tokens, hour] = [prices.get('training_tokens'), prices.get('training_hour')];
    if (!tokens || !hour) throw new Error('training needs both of its prices');
    await api.PUT('/api/admin/billing/pricing/training', {
      params,
      body: { token_per_m: tokens, gpu_hour: hour },
    });
  }
}

/** Refuses with 409 if somebody else has published since the base. */
export function usePublishPrices(kind: PriceKind) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (publication: Publication) => publish(api, kind, publication),
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

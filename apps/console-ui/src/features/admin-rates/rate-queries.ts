import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Figure } from '../../figures/figure';

export type Rate = Schemas['ExchangeRateResponse'];

const RATES = ['admin-exchange-rates'];
const PAGE_RATES = 50;

export const ratesQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: RATES,
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/admin/billing/exchange-rates', {
          params: { query: { limit: PAGE_RATES, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export function useStoreRate() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (rate: { date: string; usd_per_unit: Figure }) =>
      bodyOf(api.PUT('/api/admin/billing/exchange-rates', { body: { rates: [rate] } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: RATES }),
  });
}

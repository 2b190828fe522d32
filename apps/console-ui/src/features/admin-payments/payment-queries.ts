import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Figure } from '../../figures/figure';
import { addDays } from '../../time/calendar-day';
import { withoutGaps } from '../usage/usage-search';
import { type PaymentSearch, type RefundSearch } from './payment-search';

export type ListedPayment = Schemas['ListedPaymentResponse'];
export type AdminPayment = Schemas['AdminPaymentResponse'];
export type Refund = Schemas['RefundResponse'];
export type ListedRefund = Schemas['ListedRefundResponse'];

const PAYMENTS = 'admin-payments';
const POLL_MILLIS = 2000;

/** The parameters of the service; the end of a period is not part of it. */
export const parametersOf = ({ account, status, provider, from, to }: PaymentSearch, timeZone: string) => ({
  time_zone: timeZone,
  ...withoutGaps({
    account_id: account,
    status,
    provider,
    from,
    to: to === undefined ? undefined : addDays(to, 1),
  }),
});

export const allPaymentsQuery = (api: ConsoleApi, search: PaymentSearch, timeZone: string) =>
  infiniteQueryOptions({
    queryKey: [PAYMENTS, 'list', parametersOf(search, timeZone)],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...pageParam, ...parametersOf(search, timeZone) };
      return bodyOf(api.GET('/api/admin/billing/payments', { signal, params: { query } }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ payments }) => payments),
    staleTime: 0,
  });

export const allRefundsQuery = (api: ConsoleApi, { account, status }: RefundSearch) =>
  infiniteQueryOptions({
    queryKey: [PAYMENTS, 'refunds', { account, status }],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...pageParam, ...withoutGaps({ account_id: account, status }) };
      return bodyOf(api.GET('/api/admin/billing/refunds', { signal, params: { query } }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ refunds }) => refunds),
    staleTime: 0,
  });

/** Whether the provider may still change it. */
const isMoving = ({ status, refunds }: AdminPayment): boolean =>
  status === 'pending' || refunds.some((refund) => refund.status === 'pending');

/** Asks again every two seconds while the payment or its refund is under way. */
export const anyPaymentQuery = (api: ConsoleApi, id: string) =>
  queryOptions({
    queryKey: [PAYMENTS, 'payment', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/admin/billing/payments/{id}', { signal, params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => (data && isMoving(data) ? POLL_MILLIS : false),
    staleTime: 0,
  });

interface NewRefund {
  amount: Figure;
  reason?: string;
  /** A repeated call with the same one does not refund twice. */
  idempotencyKey: string;
}

export function useRefund(id: string) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ idempotencyKey, ...body }: NewRefund) =>
      bodyOf(
        api.POST('/api/admin/billing/payments/{id}/refund', {
          body,
          params: { path: { id }, header: { 'Idempotency-Key': idempotencyKey } },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [PAYMENTS] }),
  });
}

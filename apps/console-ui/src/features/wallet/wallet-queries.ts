import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Figure } from '../../figures/figure';
import { PAYMENT_DECIMALS, readAmount } from '../../figures/typed-amount';

export type BillingSettings = Schemas['BillingSettingsResponse'];
export type Transaction = Schemas['TransactionResponse'];
export type Payment = Schemas['PaymentResponse'];
export type Invoice = Schemas['InvoiceResponse'];
export type PaymentRefund = Schemas['PaymentRefundResponse'];
export type OwnRefund = Schemas['OwnRefundResponse'];
export type NewInvoice = Schemas['CreateInvoiceDto'];
export type NewPayment = Schemas['CreatePaymentDto'];

const WALLET = 'wallet';
const PAYMENTS = [WALLET, 'payments'];
const INVOICES = [WALLET, 'invoices'];
const POLL_MILLIS = 2000;
/** How often a banner asks for the newest payments: one waits for its payer, or may still be paid late. */
const [BANNER_POLL_MILLIS, LATE_POLL_MILLIS] = [5000, 60_000];
const NEWEST_PAYMENTS = 20;
/** The last time that a provider is asked whether an ended payment was paid is a day after its end. */
const LATE_MILLIS = 2 * 86_400_000;
/** Of invoices that are looked through for the one of a payment. */
const MOST_INVOICES = 100;

export const settingsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: [WALLET, 'settings'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/billing/settings', { signal })),
    // Every call changes the balance.
    staleTime: 0,
  });

export const transactionsQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: [WALLET, 'transactions'],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(api.GET('/api/billing/transactions', { signal, params: { query: pageParam } })),
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ transactions }) => transactions),
  });

export const paymentsQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: PAYMENTS,
    queryFn: ({ signal, pageParam }) =>
      bodyOf(api.GET('/api/billing/payments', { signal, params: { query: pageParam } })),
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ payments }) => payments),
  });

export const refundsQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: [WALLET, 'refunds'],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(api.GET('/api/billing/refunds', { signal, params: { query: pageParam } })),
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ refunds }) => refunds),
    staleTime: 0,
  });

const mayBePaidLate = ({ status, created_at: createdAt }: Payment): boolean =>
  (status === 'failed' || status === 'expired') && Date.now() - Date.parse(createdAt) < LATE_MILLIS;

/** Asks again while a payment is pending, and seldom while one that has ended may be paid late. */
export const newestPaymentsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: [...PAYMENTS, 'newest'],
    queryFn: async ({ signal }) => {
      const query = { limit: NEWEST_PAYMENTS };
      return (await bodyOf(api.GET('/api/billing/payments', { signal, params: { query } }))).payments;
    },
    refetchInterval: ({ state: { data } }) => {
      if (data?.some(({ status }) => status === 'pending')) return BANNER_POLL_MILLIS;
      return data?.some(mayBePaidLate) ? LATE_POLL_MILLIS : false;
    },
  });

/** Whether the provider may still change it: somebody pays, or gets money back. */
const isMoving = ({ status, refunds }: Payment): boolean =>
  status === 'pending' || refunds.some((refund) => refund.status === 'pending');

/** Asks again every two seconds while the payment or a refund of it is under way; seldom while it may be paid late. */
export const paymentQuery = (api: ConsoleApi, id: string) =>
  queryOptions({
    queryKey: [WALLET, 'payment', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/billing/payments/{id}', { signal, params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => {
      if (data && isMoving(data)) return POLL_MILLIS;
      return data && data.status !== 'paid' && LATE_POLL_MILLIS;
    },
  });

export const invoicesQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: INVOICES,
    queryFn: async ({ signal }) => {
      const query = { limit: MOST_INVOICES };
      return (await bodyOf(api.GET('/api/billing/invoices', { signal, params: { query } }))).invoices;
    },
  });

export const invoicePagesQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: [...INVOICES, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(api.GET('/api/billing/invoices', { signal, params: { query: pageParam } })),
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ invoices }) => invoices),
  });

/** `idempotencyKey`: a repeated call with the same one does not make a second payment. */
export function useCreatePayment() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ idempotencyKey, ...body }: NewPayment & { idempotencyKey: string }) =>
      bodyOf(
        api.POST('/api/billing/payments', {
          body,
          params: { header: { 'Idempotency-Key': idempotencyKey } },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: PAYMENTS }),
  });
}

/** Closes the notice about a late payment in all browsers. */
export function useMarkSeen() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.POST('/api/billing/payments/{id}/seen', { params: { path: { id } } }),
    onSuccess: (_answer, id) =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: PAYMENTS }),
        queryClient.invalidateQueries({ queryKey: [WALLET, 'payment', id] }),
      ]),
  });
}

export function useOrderInvoice() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: NewInvoice) => bodyOf(api.POST('/api/billing/invoices', { body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: INVOICES }),
  });
}

/** Makes a link to the receipt or the invoice of a payment. */
export function useDocumentLink(kind: 'receipts' | 'invoices') {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (paymentId: string) =>
      bodyOf(api.POST(`/api/billing/${kind}/{paymentId}/link`, { params: { path: { paymentId } } })),
    gcTime: 0,
  });
}

/** After a payment was credited or refunded: the balance, the transactions and the lists are old. */
export function useRefreshWallet(): () => void {
  const queryClient = useQueryClient();
  return () => {
    for (const name of ['settings', 'transactions', 'payments', 'refunds'])
      void queryClient.invalidateQueries({ queryKey: [WALLET, name] });
  };
}

type PaymentState = Payment['status'] | 'refunded' | 'partlyRefunded';

/** What tells the state of a payment. */
export type StatefulPayment = Pick<Payment, 'status' | 'amount' | 'refunded_amount'>;

/** The status with what was given back, which the service lists apart. */
export function stateOf({ status, amount, refunded_amount: refunded }: StatefulPayment): PaymentState {
  if (status !== 'paid' || refunded.isZero) return status;
  return refunded.compare(amount) >= 0 ? 'refunded' : 'partlyRefunded';
}

/** Whether the money arrived after the time to pay was over. */
export const isLate = ({ status, ended_at: endedAt }: Pick<Payment, 'status' | 'ended_at'>): boolean =>
  status === 'paid' && endedAt !== null;

/** Minutes and seconds until an instant, `4:05`; undefined when it has passed. */
export function timeLeft(until: string, nowMillis: number): string | undefined {
  const seconds = Math.ceil((Date.parse(until) - nowMillis) / 1000);
  if (seconds <= 0) return undefined;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${pad(minutes)}` : minutes}:${pad(seconds % 60)}`;
}

/** A typed amount that may be paid: within the bounds; otherwise undefined. */
export function payableAmount(text: string, least: Figure, most: Figure): Figure | undefined {
  const amount = readAmount(text, PAYMENT_DECIMALS);
  return amount && amount.compare(least) >= 0 && amount.compare(most) <= 0 ? amount : undefined;
}

import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { enterAccountView } from '../../api/account-view';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Figure } from '../../figures/figure';
import { PAYMENT_DECIMALS, readAmount } from '../../figures/typed-amount';
import { addDays } from '../../time/calendar-day';
import { filterOf } from '../requests/request-queries';
import { type RequestSearch } from '../usage/request-search';
import { usageParameters, type UsageQuestion } from '../usage/usage-queries';

export type Account = Schemas['AdminAccountResponse'];
export type Role = Account['role'];

export const ROLES = ['user', 'operator', 'finance', 'support', 'analyst', 'admin'] as const satisfies Role[];

const ACCOUNTS = 'admin-accounts';
/** Payments and transactions that the page of an account shows. */
const LAST = 10;
const EMAILS_LIFE_MILLIS = 300_000;

/** All accounts, newest first. */
export const accountsQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: [ACCOUNTS, 'list'],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(api.GET('/api/admin/accounts', { signal, params: { query: pageParam } })),
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ accounts }) => accounts),
  });

export type AccountMatch = Schemas['AccountMatchResponse'];

/** What a text names, or whose name it is a part of. The text may be a whole API key: it stays in no cache. */
export const accountSearchQuery = (api: ConsoleApi, query: string) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'search', query],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.POST('/api/admin/accounts/search', { signal, body: { query } }))).matches,
    staleTime: 0,
    gcTime: 0,
  });

export const accountQuery = (api: ConsoleApi, id: string) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'account', id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/admin/accounts/{id}', { signal, params: { path: { id } } })),
    // Every call of the account changes its balance.
    staleTime: 0,
  });

export const accountUsageQuery = (api: ConsoleApi, id: string, question: UsageQuestion) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'usage', id, question],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: usageParameters(question) };
      const body = await bodyOf(api.GET('/api/admin/accounts/{id}/usage', { signal, params }));
      return { question, rows: (body as Schemas['UsageResponse']).usage };
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const lastTransactionsQuery = (api: ConsoleApi, id: string) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'transactions', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: LAST } };
      return (await bodyOf(api.GET('/api/admin/accounts/{id}/transactions', { signal, params })))
        .transactions;
    },
    staleTime: 0,
  });

export type CustomerKey = Schemas['SupportApiKeyResponse'];

export const accountKeysQuery = (api: ConsoleApi, id: string) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'keys', id],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/api/admin/accounts/{id}/keys', { signal, params: { path: { id } } }))).keys,
    staleTime: 0,
  });

export type TimelineEntry = Schemas['TimelineEntryResponse'];

/** The days of a timeline, both included; empty: no bound. */
export interface TimelineDays {
  first: string;
  last: string;
}

/** The parameters of the service; the end of a period is not part of it. */
export const timelineRange = ({ first, last }: TimelineDays, timeZone: string) => ({
  ...(first && { from: first }),
  ...(last && { to: addDays(last, 1) }),
  time_zone: timeZone,
});

export const timelineQuery = (api: ConsoleApi, id: string, days: TimelineDays, timeZone: string) =>
  infiniteQueryOptions({
    queryKey: [ACCOUNTS, 'timeline', id, timelineRange(days, timeZone)],
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { id }, query: { ...timelineRange(days, timeZone), ...pageParam } };
      return bodyOf(api.GET('/api/admin/accounts/{id}/timeline', { signal, params }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
    staleTime: 0,
  });

export const notesQuery = (api: ConsoleApi, id: string) =>
  infiniteQueryOptions({
    queryKey: [ACCOUNTS, 'notes', id],
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { id }, query: pageParam };
      return bodyOf(api.GET('/api/admin/accounts/{id}/notes', { signal, params }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ notes }) => notes),
    staleTime: 0,
  });

/** Where a customer is signed in, and its agent sessions and workspaces. */
export const accessQuery = (api: ConsoleApi, id: string) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'access', id],
    queryFn: async ({ signal }) => {
      const options = { signal, params: { path: { id } } };
      const [{ sessions }, { agents }, { workspaces }] = await Promise.all([
        bodyOf(api.GET('/api/admin/accounts/{id}/sessions', options)),
        bodyOf(api.GET('/api/admin/accounts/{id}/agents', options)),
        bodyOf(api.GET('/api/admin/accounts/{id}/workspaces', options)),
      ]);
      return { sessions, agents, workspaces };
    },
    staleTime: 0,
  });

/** What is suspended or reactivated: an account, or a key of it. */
export interface SuspensionTarget {
  accountId: string;
  keyId?: string;
}

export function useSuspend({ accountId: id, keyId }: SuspensionTarget) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas['SuspendDto']) => {
      if (keyId === undefined)
        await api.POST('/api/admin/accounts/{id}/suspend', { params: { path: { id } }, body });
      else
        await api.POST('/api/admin/accounts/{id}/keys/{keyId}/suspend', {
          params: { path: { id, keyId } },
          body,
        });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [ACCOUNTS] }),
  });
}

export function useReactivate({ accountId: id, keyId }: SuspensionTarget) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas['ReactivateDto']) => {
      if (keyId === undefined)
        await api.POST('/api/admin/accounts/{id}/reactivate', { params: { path: { id } }, body });
      else
        await api.POST('/api/admin/accounts/{id}/keys/{keyId}/reactivate', {
          params: { path: { id, keyId } },
          body,
        });
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [ACCOUNTS] }),
  });
}

/** Begins a view of the account, and shows it in this tab. */
export function useOpenView(id: string) {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (body: Schemas['OpenViewDto']) =>
      bodyOf(api.POST('/api/admin/accounts/{id}/views', { params: { path: { id } }, body })),
    onSuccess: ({ id: viewId, account_id: accountId, email, expires_at: expiresAt }) =>
      enterAccountView({ id: viewId, accountId, email, expiresAt }),
  });
}

export function useEndSessionOf(id: string) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (sessionId: string) =>
      api.DELETE('/api/admin/accounts/{id}/sessions/{sessionId}', { params: { path: { id, sessionId } } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [ACCOUNTS] }),
  });
}

export function useAddNote(id: string) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['CreateNoteDto']) =>
      bodyOf(api.POST('/api/admin/accounts/{id}/notes', { params: { path: { id } }, body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [ACCOUNTS] }),
  });
}

export const lastPaymentsQuery = (api: ConsoleApi, id: string) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'payments', id],
    queryFn: async ({ signal }) => {
      const query = { account_id: id, limit: LAST };
      return (await bodyOf(api.GET('/api/admin/billing/payments', { signal, params: { query } }))).payments;
    },
    staleTime: 0,
  });

export function useChangeRole(id: string) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['ChangeRoleDto']) =>
      bodyOf(api.PUT('/api/admin/accounts/{id}/role', { params: { path: { id } }, body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [ACCOUNTS] }),
    // The password stays in no cache.
    gcTime: 0,
  });
}

interface Adjustment {
  /** Exact decimal text. */
  amount: string;
  description: string;
  /** A repeated call with the same one does not adjust twice. */
  idempotencyKey: string;
}

/** Adjusts the balance and returns the account with its new one. */
export function useAdjustBalance(id: string) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ idempotencyKey, ...body }: Adjustment) => {
      await api.POST('/api/admin/billing/adjustments', {
        body: { account_id: id, ...body },
        params: { header: { 'Idempotency-Key': idempotencyKey } },
      });
      await queryClient.invalidateQueries({ queryKey: [ACCOUNTS] });
      return queryClient.fetchQuery(accountQuery(api, id));
    },
  });
}

export function useDisableSecondFactor(id: string) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['AdminConfirmationDto']) =>
      api.POST('/api/admin/accounts/{id}/2fa/disable', { params: { path: { id } }, body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [ACCOUNTS] }),
    // The password stays in no cache.
    gcTime: 0,
  });
}

/** The addresses of up to 100 accounts by their ids. They seldom change. */
export const accountEmailsQuery = (api: ConsoleApi, ids: string[]) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'emails', ids],
    queryFn: async ({ signal }) => {
      const query = { ids: ids.join(','), limit: ids.length };
      const { accounts } = await bodyOf(api.GET('/api/admin/accounts', { signal, params: { query } }));
      return new Map(accounts.map(({ id, email }) => [id, email]));
    },
    staleTime: EMAILS_LIFE_MILLIS,
  });

/** The account that signs in with an address, phone number or username; null if there is none. */
export const accountByIdentifierQuery = (api: ConsoleApi, identifier: string) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'identifier', identifier],
    queryFn: async ({ signal }) => {
      const query = { identifier };
      const { accounts } = await bodyOf(api.GET('/api/admin/accounts', { signal, params: { query } }));
      return accounts[0] ?? null;
    },
    staleTime: 0,
  });

export const accountRequestsQuery = (api: ConsoleApi, id: string, search: RequestSearch, timeZone: string) =>
  infiniteQueryOptions({
    queryKey: [ACCOUNTS, 'requests', id, search, timeZone],
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { id }, query: { ...filterOf(search, timeZone), ...pageParam } };
      return bodyOf(api.GET('/api/admin/accounts/{id}/requests', { signal, params }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => ({
      requests: pages.flatMap(({ requests }) => requests),
      archivedUntil: pages.at(-1)?.archived_until ?? null,
    }),
    staleTime: 0,
  });

export const accountRequestQuery = (api: ConsoleApi, id: string, requestId: string) =>
  queryOptions({
    queryKey: [ACCOUNTS, 'request', id, requestId],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/admin/accounts/{id}/requests/{requestId}', {
          signal,
          params: { path: { id, requestId } },
        }),
      ),
    // What was charged never changes.
    staleTime: Infinity,
  });

/** A typed amount that may be added to a balance or, negative, deducted; undefined for any other text and for zero. */
export function adjustmentIn(text: string): Figure | undefined {
  const amount = readAmount(text, PAYMENT_DECIMALS, { isSigned: true });
  return amount?.isZero ? undefined : amount;
}

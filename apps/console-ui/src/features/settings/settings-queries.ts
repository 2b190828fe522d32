import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Figure } from '../../figures/figure';
import { settingsQuery } from '../wallet/wallet-queries';

export type Identity = Schemas['IdentityResponse'];
export type ListedSession = Schemas['ListedSessionResponse'];
export type SecurityEvent = Schemas['AuditEventResponse'];
export type Confirmation = Schemas['ConfirmTwoFactorDto'];

const SESSIONS = ['sessions'];
const IDENTITIES = ['identities'];
const EVENTS = ['security-events'];

export const sessionsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: SESSIONS,
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/api/auth/sessions', { signal }))).sessions,
  });

export const identitiesQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: IDENTITIES,
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/api/auth/identities', { signal }))).identities,
  });

export const securityEventsQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: EVENTS,
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/auth/events', { signal, params: { query: pageParam ? { cursor: pageParam } : {} } }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

/** What changes the account itself. The answer is the changed account. */
export function useAccountChange<Variables>(
  change: (variables: Variables) => Promise<Schemas['UserResponse']>,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (account) => queryClient.setQueryData(['account'], account),
  });
}

/** Null turns the mail about a low balance off. */
export function useLowBalanceChange() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (threshold: Figure | null) =>
      bodyOf(api.PATCH('/api/billing/settings', { body: { low_balance_threshold: threshold } })),
    onSuccess: (settings) => queryClient.setQueryData(settingsQuery(api).queryKey, settings),
  });
}

export const mailPreferencesQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['mail-preferences'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/account/mail-preferences', { signal })),
    // A link in a mail changes it, too.
    staleTime: 0,
  });

export function useMailPreferenceChange() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (announcements: boolean) =>
      bodyOf(api.PUT('/api/account/mail-preferences', { body: { announcements } })),
    onSuccess: (preferences) => queryClient.setQueryData(mailPreferencesQuery(api).queryKey, preferences),
  });
}

/** What changes credentials: the account, its sessions and its security events are read again. */
export function useCredentialChange<Variables, Answer>(change: (variables: Variables) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      for (const queryKey of [['account'], SESSIONS, IDENTITIES, EVENTS])
        void queryClient.invalidateQueries({ queryKey });
    },
    // Answers may hold codes and secrets: no cache keeps them.
    gcTime: 0,
  });
}

export function useEndSession() {
  const api = useConsoleApi();
  return useCredentialChange((id: string) =>
    api.DELETE('/api/auth/sessions/{id}', { params: { path: { id } } }),
  );
}

export function useEndOtherSessions() {
  const api = useConsoleApi();
  return useCredentialChange(() => api.DELETE('/api/auth/sessions'));
}

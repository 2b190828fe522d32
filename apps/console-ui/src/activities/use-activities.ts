import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { toApiError } from '../api/api-error';
import { useConsoleApi } from '../api/console-api';
import { useAgentClients } from '../features/agents/use-agent-clients';
import { paymentsQuery } from '../features/wallet/wallet-queries';
import { formatPrice } from '../figures/format-figure';
import { useLanguage } from '../language/language-context';
import { type Activity, activityStore } from './activity-store';
import { followedTurnsIn, forgetTurn, readFollowedTurns, subscribeToFollowedTurns } from './followed-turns';

const POLL_MILLIS = 10_000;
const TURN_POLL_MILLIS = 3_000;

/** Everything long: of this tab, and what the services say about payments and turns. */
export function useActivities(): Activity[] {
  const ofTab = useSyncExternalStore(activityStore.subscribe, activityStore.getAll);
  return [...ofTab, ...useTurns(), ...usePayments()];
}

function usePayments(): Activity[] {
  const { language } = useLanguage();
  const { data } = useInfiniteQuery({
    ...paymentsQuery(useConsoleApi()),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ payments }) => payments.some(({ status }) => status === 'pending'))
        ? POLL_MILLIS
        : false,
  });
  return (data ?? [])
    .filter(({ status, checkout }) => status === 'pending' && checkout)
    .map(({ id, amount, currency }) => ({
      id,
      kind: 'payment',
      title: formatPrice(amount, currency, language),
      state: 'running',
      to: `/payments/${id}`,
    }));
}

function useTurns(): Activity[] {
  const { calls } = useAgentClients();
  const ids = followedTurnsIn(useSyncExternalStore(subscribeToFollowedTurns, readFollowedTurns));
  const answers = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['followed-turn', id],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { open_turns: turns } = await calls.sessions.get(id, { signal });
        return turns.some(({ status }) => status !== 'requires_action');
      },
      refetchInterval: TURN_POLL_MILLIS,
      retry: false,
      staleTime: 0,
      // The answer about an earlier turn says nothing about the next one.
      gcTime: 0,
    })),
  });
  const ended = ids.filter((_id, index) => {
    const { data, error } = answers[index]!;
    // Deleted, or of another account that was signed in here.
    return data === false || (error !== null && toApiError(error).status === 404);
  });
  const endedKey = ended.join(' ');
  useEffect(() => {
    if (endedKey) endedKey.split(' ').forEach(forgetTurn);
  }, [endedKey]);
  return ids
    .filter((_id, index) => answers[index]!.data === true)
    .map((id) => ({ id, kind: 'turn', title: id, state: 'running', to: `/agents/${id}` }));
}

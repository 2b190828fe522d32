import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { keysQuery } from '../keys/key-queries';
import { requestsQuery } from '../requests/request-queries';
import { settingsQuery, transactionsQuery } from '../wallet/wallet-queries';

export const STEPS = ['topUp', 'key', 'call'] as const;
export type StepName = (typeof STEPS)[number];

const POLL_MILLIS = 5000;

/** The first steps that are done; undefined until it is known. A call is noticed within seconds. */
export function useStepsDone(): ReadonlySet<StepName> | undefined {
  const api = useConsoleApi();
  const { data: settings } = useQuery(settingsQuery(api));
  const { data: transactions } = useInfiniteQuery(transactionsQuery(api));
  const { data: keys } = useQuery(keysQuery(api));
  const { data: log } = useInfiniteQuery({
    ...requestsQuery(api, {}, 'UTC'),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.requests.length ? false : POLL_MILLIS),
  });
  if (!settings || !transactions || !keys || !log) return undefined;
  const isDone: Record<StepName, boolean> = {
    topUp: !settings.balance.isZero || transactions.length > 0,
    key: keys.length > 0,
    call: log.requests.length > 0,
  };
  return new Set(STEPS.filter((step) => isDone[step]));
}

import { keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import { runActivity } from '../../activities/activity-store';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { Figure } from '../../figures/figure';
import { addDays } from '../../time/calendar-day';
import { type Period, type PeriodBefore } from './usage-period';
import { type Bucket, type Dimension, withoutGaps } from './usage-search';
import { useUsageTexts } from './usage-texts';

export type UsageRow = Schemas['UsageRowResponse'];
export type Unit = UsageRow['unit'];

export interface UsageQuestion extends Period {
  timeZone: string;
  bucket: Bucket;
  dimension: Dimension;
  model?: string | undefined;
  apiKeyId?: string | undefined;
  entrypoint?: string | undefined;
}

/** The end of a period is not part of it; one that begins at some time ends now. */
export const boundsOf = ({ first, last, since }: Period) =>
  since === undefined ? { from: first, to: addDays(last, 1) } : { from: since };

/** The question as the service takes it. */
export const usageParameters = ({
  first,
  last,
  since,
  timeZone,
  bucket,
  dimension,
  model,
  apiKeyId,
  entrypoint,
}: UsageQuestion) => ({
  ...boundsOf({ first, last, since }),
  time_zone: timeZone,
  granularity: bucket,
  group_by: dimension,
  ...withoutGaps({ model, api_key_id: apiKeyId, entrypoint }),
});

/** The usage of a period, grouped by one dimension, oldest first. The answer to the last question stays until the next one is there. */
export const usageQuery = (api: ConsoleApi, question: UsageQuestion) =>
  queryOptions({
    queryKey: ['usage', question],
    queryFn: async ({ signal }) => {
      const query = usageParameters(question);
      const body = await bodyOf(api.GET('/api/billing/usage', { signal, params: { query } }));
      return { question, rows: (body as Schemas['UsageResponse']).usage };
    },
    placeholderData: keepPreviousData,
    // Every call changes it.
    staleTime: 0,
  });

/** The rows of the answer, as the service writes them. */
export function useUsageCsv(question: UsageQuestion, fileName: string) {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: () =>
      runActivity({ kind: 'export', title: fileName, to: '/usage' }, async () => {
        const { data } = await api.GET('/api/billing/usage', {
          params: { query: usageParameters(question) },
          headers: { Accept: 'text/csv' },
          parseAs: 'text',
        });
        return data ?? '';
      }),
    // It may be large, and is saved at once.
    gcTime: 0,
  });
}

type CallFilter = Pick<UsageQuestion, 'timeZone' | 'model' | 'apiKeyId' | 'entrypoint'>;

const filterOf = ({ timeZone, model, apiKeyId, entrypoint }: CallFilter) => ({
  time_zone: timeZone,
  ...withoutGaps({ model, api_key_id: apiKeyId, entrypoint }),
});

/** How many calls a period has, from `boundsOf` or of the period before. */
export const callCountsQuery = (api: ConsoleApi, filter: CallFilter, bounds: { from: string; to?: string }) =>
  queryOptions({
    queryKey: ['call-counts', bounds, filterOf(filter)],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/billing/usage/calls', {
          signal,
          params: { query: { ...bounds, ...filterOf(filter) } },
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** What the period before cost. */
export const costBeforeQuery = (api: ConsoleApi, filter: CallFilter, before: PeriodBefore) =>
  queryOptions({
    queryKey: ['cost-before', before, filterOf(filter)],
    queryFn: async ({ signal }) => {
      const query = { ...before, ...filterOf(filter), granularity: 'month' as const, group_by: '' };
      const body = await bodyOf(api.GET('/api/billing/usage', { signal, params: { query } }));
      return Figure.sum((body as Schemas['UsageResponse']).usage.map(({ cost }) => cost));
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** The three sums of a period, as the services report them. */
export const proofQuery = (api: ConsoleApi, period: Period, timeZone: string) =>
  queryOptions({
    queryKey: ['proof', period, timeZone],
    queryFn: ({ signal }) => {
      const query = { ...boundsOf(period), time_zone: timeZone };
      return bodyOf(api.GET('/api/billing/proof', { signal, params: { query } }));
    },
    // The next hour closes soon.
    staleTime: 0,
  });

export type Proof = Omit<Schemas['ProofResponse'], FigureName | NullableName> &
  Record<FigureName, Figure> &
  Record<NullableName, Figure | null>;

type FigureName = 'usage' | 'transactions' | 'transactions_difference' | 'usage_usd';

type NullableName = 'router_cost_usd' | 'router_cost_difference_usd';

/** `partly`: what could be compared agrees, but the router-cost service did not answer. `open`: no hour is closed yet. */
type ProofState = 'agrees' | 'differs' | 'partly' | 'open';

export function proofStateOf(proof: Proof): ProofState {
  const { transactions_difference: inLedger, router_cost_difference_usd: inReport } = proof;
  if (!inLedger.isZero || inReport?.isZero === false) return 'differs';
  if (proof.from === null) return 'open';
  return inReport === null ? 'partly' : 'agrees';
}

const MILLION = Figure.of('1000000');

export const isOfAMillion = (unit: Unit): boolean => unit.startsWith('per_million_');

/** The tokens, requests, minutes and others of a quantity, which is counted in the unit of its price. */
export const countOf = (unit: Unit, quantity: Figure): Figure =>
  isOfAMillion(unit) ? quantity.times(MILLION) : quantity;

const ENTRYPOINTS = ['gateway', 'agent', 'memo', 'console', 'training'] as const;

export const KNOWN_ENTRYPOINTS: readonly string[] = ENTRYPOINTS;
export const NO_KEY = 'none';

/** Names where calls came from; a name that a client gave stays as it is. */
export function useEntrypointName(): (entrypoint: string) => string {
  const t = useUsageTexts();
  return (entrypoint) => {
    const known = ENTRYPOINTS.find((one) => one === entrypoint);
    return known ? t(`entrypoint.${known}`) : entrypoint;
  };
}

/** Names a group of the report for people. */
export function useGroupName(): (
  dimension: Dimension,
  group: { id: string; name: string | undefined },
) => string {
  const t = useUsageTexts();
  const entrypointName = useEntrypointName();
  return (dimension, { id, name }) => {
    if (dimension === 'entrypoint') return entrypointName(id);
    if (dimension === 'api_key') return id === NO_KEY ? t('filter.noKey') : (name ?? id);
    return id;
  };
}

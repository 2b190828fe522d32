import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { toApiError } from '../../api/api-error';
import { bodyOf, type ConsoleApi } from '../../api/console-api';
import { stringifyExact } from '../../api/exact-json';
import { Figure } from '../../figures/figure';

/** A call is in the request log when it is settled, some moments after its end. */
const MOST_COST_RETRIES = 8;
const COST_RETRY_MILLIS = 700;

export const playgroundModelsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['playground-models'],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/api/playground/models', { signal }))).data.map(({ id }) => id),
  });

/** The most that calls with these bodies can cost together. */
export const estimateQuery = (api: ConsoleApi, bodies: object[]) =>
  queryOptions({
    queryKey: ['playground-estimate', stringifyExact(bodies)],
    queryFn: async ({ signal }) => {
      const estimates = await Promise.all(
        bodies.map((body) =>
          bodyOf(api.POST('/api/playground/estimate', { signal, body: { ...body, stream: true } as never })),
        ),
      );
      const { currency } = estimates[0]!;
      return { worstCase: Figure.sum(estimates.map(({ worst_case: most }) => most)), currency };
    },
    placeholderData: keepPreviousData,
    retry: false,
  });

/** A call of the request log, waited for. */
export const requestCostQuery = (api: ConsoleApi, requestId: string) =>
  queryOptions({
    queryKey: ['request-cost', requestId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/billing/requests/{requestId}', { signal, params: { path: { requestId } } })),
    retry: (failures, error) => {
      const { status, isTransient } = toApiError(error);
      return failures < MOST_COST_RETRIES && (status === 404 || isTransient);
    },
    retryDelay: COST_RETRY_MILLIS,
    staleTime: Infinity,
  });

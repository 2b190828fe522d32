import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi } from '../../api/console-api';
import { stringifyExact } from '../../api/exact-json';
import { Figure } from '../../figures/figure';

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

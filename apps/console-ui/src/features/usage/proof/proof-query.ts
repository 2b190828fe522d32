import { queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi } from '../../../api/console-api';
import { addDays } from '../../../time/calendar-day';
import { type Period } from '../usage-search';

/** The three sums of a period, as the services report them. */
export const proofQuery = (api: ConsoleApi, { first, last }: Period, timeZone: string) =>
  queryOptions({
    queryKey: ['proof', first, last, timeZone],
    queryFn: ({ signal }) => {
      // The end of a period is not part of it.
      const query = { from: first, to: addDays(last, 1), time_zone: timeZone };
      return bodyOf(api.GET('/api/billing/proof', { signal, params: { query } }));
    },
    // The next hour closes soon.
    staleTime: 0,
  });

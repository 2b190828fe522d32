import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';

export type Downloads = Schemas['DownloadsResponse'];

/** UTC days, both included. */
export interface Days {
  from: string;
  to: string;
}

const MOST_MODELS = 100;

export const downloadsQuery = (api: ConsoleApi, { from, to }: Days) =>
  queryOptions({
    queryKey: ['admin-downloads', from, to],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/api/admin/downloads', { params: { query: { from, to, limit: MOST_MODELS } }, signal }),
      ),
    placeholderData: keepPreviousData,
  });

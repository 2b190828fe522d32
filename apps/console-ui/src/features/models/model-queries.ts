import { queryOptions, useMutation } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';

export type Model = Schemas['ModelResponse'];

const PAGE_ENTRIES = 100;

/** All published models, newest first: the page searches and sorts all of them. */
export const modelsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['models'],
    queryFn: async ({ signal }) => {
      const models: Model[] = [];
      let cursor: string | null = null;
      do {
        const query: { limit: number; cursor?: string } = { limit: PAGE_ENTRIES, ...(cursor && { cursor }) };
        const page: Schemas['ModelListResponse'] = await bodyOf(
          api.GET('/api/models', { params: { query }, signal }),
        );
        models.push(...page.models);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return models;
    },
  });

export const modelQuery = (api: ConsoleApi, slug: string) =>
  queryOptions({
    queryKey: ['models', slug],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/models/{slug}', { params: { path: { slug } }, signal })),
  });

/** Gets a link to the published package. Whoever has it can download: no cache keeps it. */
export function useModelLink() {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (slug: string) => bodyOf(api.POST('/api/models/{slug}/link', { params: { path: { slug } } })),
    gcTime: 0,
  });
}

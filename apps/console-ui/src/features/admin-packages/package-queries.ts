import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';

export type AdminModel = Schemas['AdminModelResponse'];
export type ModelWithPackages = Schemas['AdminModelWithPackagesResponse'];
export type ModelPackage = Schemas['PackageResponse'];
export type ModelContent = Schemas['PutModelDto'];

const MODELS = ['admin-models'];
const PAGE_ENTRIES = 50;

export const adminModelsQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: MODELS,
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/admin/models', {
          params: { query: { limit: PAGE_ENTRIES, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const adminModelQuery = (api: ConsoleApi, slug: string) =>
  queryOptions({
    queryKey: [...MODELS, slug],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/admin/models/{slug}', { params: { path: { slug } }, signal })),
  });

/** The public list, too: the browser keeps it for a minute otherwise. */
export async function refreshModels(queryClient: QueryClient, api: ConsoleApi): Promise<void> {
  await api.GET('/api/models', { params: { query: { limit: 100 } }, cache: 'reload' }).catch(() => undefined);
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: MODELS }),
    queryClient.invalidateQueries({ queryKey: ['models'] }),
  ]);
}

function useModelChange<Input>(change: (api: ConsoleApi, input: Input) => Promise<unknown>) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(api, input),
    onSuccess: () => refreshModels(queryClient, api),
  });
}

export const useSaveModel = () =>
  useModelChange((api, { slug, ...body }: ModelContent & { slug: string }) =>
    bodyOf(api.PUT('/api/admin/models/{slug}', { params: { path: { slug } }, body })),
  );

/** Publishes a package, or none if the version is null. The description stays. */
export const usePublishPackage = ({ slug, ...model }: ModelWithPackages) =>
  useModelChange((api, version: string | null) => {
    const { name, description, family, parameters, quantization, format, license } = model;
    const body = { name, description, family, parameters, quantization, format, license, version };
    return bodyOf(api.PUT('/api/admin/models/{slug}', { params: { path: { slug } }, body }));
  });

export const useDeletePackage = () =>
  useModelChange((api, { slug, version }: Pick<ModelPackage, 'slug' | 'version'>) =>
    api.DELETE('/api/admin/models/{slug}/packages/{version}', { params: { path: { slug, version } } }),
  );

export const useDeleteModel = () =>
  useModelChange((api, slug: string) =>
    api.DELETE('/api/admin/models/{slug}', { params: { path: { slug } } }),
  );

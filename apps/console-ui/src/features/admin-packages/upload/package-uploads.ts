import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../../api/console-api';
import { type Figure } from '../../../figures/figure';

/** A package that arrives in parts. */
export type PackageUpload = Schemas['UploadResponse'];

const UPLOADS = ['package-uploads'];

/** The unfinished uploads of the admin, newest first. */
export const uploadsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: UPLOADS,
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/admin/package-uploads', { signal })).then(({ uploads }) => uploads),
    staleTime: 0,
  });

export const refreshUploads = (queryClient: QueryClient): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: UPLOADS });

export function useDiscardUpload() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.DELETE('/api/admin/package-uploads/{id}', { params: { path: { id } } }),
    onSettled: () => refreshUploads(queryClient),
  });
}

/** Sizes and numbers of parts are far below what a number holds exactly. */
export const numberOf = (figure: Figure): number => Number(figure.toString());

/** Whether the upload began with this file. Its time stands for its content, of which the parts that have arrived are not sent again. */
export const isOfFile = (upload: PackageUpload, file: File): boolean =>
  upload.file_name === file.name &&
  numberOf(upload.size_bytes) === file.size &&
  upload.file_modified_at !== null &&
  Date.parse(upload.file_modified_at) === file.lastModified;

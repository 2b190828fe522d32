import { queryOptions, useMutation } from '@tanstack/react-query';
import { toApiError } from '../../api/api-error';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type CodeSample } from '../../components/code-samples';

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

/** The package of a model; null if none is published. */
export const modelQuery = (api: ConsoleApi, slug: string) =>
  queryOptions({
    queryKey: ['models', slug],
    queryFn: async ({ signal }): Promise<Model | null> => {
      try {
        return await bodyOf(api.GET('/api/models/{slug}', { params: { path: { slug } }, signal }));
      } catch (error) {
        if (toApiError(error).status === 404) return null;
        throw error;
      }
    },
  });

/** Gets a link to the published package. Whoever has it can download: no cache keeps it. */
export function useModelLink() {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: (slug: string) => bodyOf(api.POST('/api/models/{slug}/link', { params: { path: { slug } } })),
    gcTime: 0,
  });
}

type Package = Pick<Model, 'slug' | 'version' | 'file_name' | 'sha256'>;

const forShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const forPowerShell = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Downloads a package with an API key, goes on after an interruption, and compares its digest. The key comes from the
 * environment, so that no command holds a secret.
 */
export function downloadCommands(
  consoleUrl: string,
  { slug, version, file_name: file, sha256 }: Package,
): CodeSample[] {
  const path = slug.split('/').map(encodeURIComponent).join('/');
  const url = `${consoleUrl}/api/models/${path}/download?version=${encodeURIComponent(version)}`;
  const download = `curl -f -L -C - -o ${forShell(file)} -H "Authorization: Bearer $API_KEY" \\
  ${forShell(url)}`;
  const check = (program: string) => `echo ${forShell(`${sha256}  ${file}`)} | ${program} -c`;
  return [
    { name: 'Linux', code: `${download}\n${check('sha256sum')}` },
    { name: 'macOS', code: `${download}\n${check('shasum -a 256')}` },
    {
      name: 'Windows',
      code: `curl.exe -f -L -C - -o ${forPowerShell(file)} -H "Authorization: Bearer $env:API_KEY" \`
  ${forPowerShell(url)}
(Get-FileHash ${forPowerShell(file)}).Hash -eq '${sha256}'`,
    },
  ];
}

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../api/service-apis';

export type Workspace = MemoSchemas['WorkspaceResponse'];

const PAGE_SIZE = 50;
const MOST_A_PAGE = 100;
export const WORKSPACE_LIST = ['workspaces', 'list'];

/** Begins the keys of all queries about a workspace. */
export const workspaceKey = (id: string) => ['workspaces', 'one', id];

/** The page after a cursor; the first one without. */
export const pageAfter = (cursor: string) => ({ limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) });

/** All workspaces of the account, which are few, so that they are searched and sorted here. */
export const workspacesQuery = (api: MemoApi) =>
  queryOptions({
    queryKey: WORKSPACE_LIST,
    queryFn: async ({ signal }) => {
      const workspaces: Workspace[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const query = { limit: MOST_A_PAGE, ...(cursor !== '' && { cursor }) };
        const page: MemoSchemas['WorkspaceListResponse'] = await bodyOf(
          api.GET('/v1/workspaces', { signal, params: { query } }),
        );
        workspaces.push(...page.workspaces);
        cursor = page.next_cursor;
      }
      return workspaces;
    },
  });

export type WorkspaceOptions = MemoSchemas['WorkspaceOptionsResponse'];

/** Which files a workspace takes, and which models answer in it. It changes with the configuration of the service only. */
export const optionsQuery = (api: MemoApi, id: string) =>
  queryOptions({
    queryKey: [...workspaceKey(id), 'options'],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/options', { signal, params: { path: { workspace_id: id } } }),
      ),
    staleTime: Infinity,
  });

export const workspaceQuery = (api: MemoApi, id: string) =>
  queryOptions({
    queryKey: workspaceKey(id),
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/v1/workspaces/{workspace_id}', { signal, params: { path: { workspace_id: id } } })),
  });

export function useCreateWorkspace() {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => bodyOf(api.POST('/v1/workspaces', { body: { name } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: WORKSPACE_LIST }),
  });
}

export function useRenameWorkspace(id: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (name: string) =>
      bodyOf(
        api.PATCH('/v1/workspaces/{workspace_id}', {
          params: { path: { workspace_id: id } },
          body: { name },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['workspaces'] }),
  });
}

export function useDeleteWorkspace(id: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async () => {
    await api.DELETE('/v1/workspaces/{workspace_id}', { params: { path: { workspace_id: id } } });
    await queryClient.invalidateQueries({ queryKey: WORKSPACE_LIST });
  };
}

export type Role = MemoSchemas['WorkspaceResponse']['role'];

/** From the least to the most rights. */
const ROLES: readonly Role[] = ['viewer', 'editor', 'admin'];

/** Whether somebody with a role may do what needs another one. */
export const hasRole = (own: Role, needed: Role): boolean => ROLES.indexOf(own) >= ROLES.indexOf(needed);

/** The roles that somebody may give: none above the own one. */
export const rolesUpTo = (own: Role): Role[] => ROLES.filter((role) => hasRole(own, role));

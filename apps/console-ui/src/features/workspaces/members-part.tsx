import { ActionIcon, Badge, Button, Code, Group, Select, Stack, Text, Tooltip } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { UserMinus, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { toApiError } from '../../api/api-error';
import { bodyOf } from '../../api/console-api';
import { type MemoApi, type MemoSchemas, useMemoApi } from '../../api/service-apis';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorNotice } from '../../components/error-notice';
import { MiddleCut } from '../../components/middle-cut';
import { QueryState } from '../../components/query-state';
import { useAccount } from '../../api/account';
import { Time } from '../../time/time';
import { ActionDialog, useRoleOptions } from './dialogs';
import { InvitationForm, OpenInvitations } from './invitations';
import { useWorkspace } from './workspace-context';
import { hasRole, pageAfter, type Role, workspaceKey } from './workspace-queries';
import { useWorkspaceTexts } from './workspace-texts';

/** Who may see the workspace, and what each of them may do. */
export function MembersPart() {
  const t = useWorkspaceTexts();
  const navigate = useNavigate();
  const { workspace } = useWorkspace();
  const ownId = useAccount().data?.id;
  const query = useInfiniteQuery(membersQuery(useMemoApi(), workspace.id));
  const change = useChangeRole(workspace.id);
  const remove = useRemoveMember(workspace.id);
  const roles = useRoleOptions('admin');
  const [isInviting, setIsInviting] = useState(false);
  const [removed, setRemoved] = useState<Member>();
  const isAdmin = hasRole(workspace.role, 'admin');
  const isLeaving = removed?.user_id === ownId;
  const changeError = change.error && lastAdminErrorKey(change.error);
  const columns: Column<Member>[] = [
    {
      key: 'member',
      title: t('column.member'),
      cell: ({ user_id: id, email }) => (
        <Group gap="xs" wrap="nowrap">
          {email === null ? <Code>{id}</Code> : <MiddleCut text={email} />}
          {id === ownId && (
            <Badge variant="default" tt="none" flex="none">
              {t('member.you')}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: 'role',
      title: t('column.role'),
      place: 'status',
      cell: (member) =>
        isAdmin ? (
          <Select
            size="xs"
            w="9rem"
            aria-label={t('member.role.named', { name: nameOf(member) })}
            data={roles}
            value={member.role}
            allowDeselect={false}
            disabled={change.isPending}
            onChange={(role) => role && change.mutate({ userId: member.user_id, role: role as Role })}
          />
        ) : (
          t(`role.${member.role}`)
        ),
    },
    {
      key: 'added',
      title: t('column.added'),
      cell: ({ created_at: at }) => <Time value={at} detail="day" />,
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (member) => {
        const isSelf = member.user_id === ownId;
        if (!isAdmin && !isSelf) return null;
        return (
          <Group justify="flex-end">
            <Tooltip label={t(isSelf ? 'member.leave' : 'member.remove')}>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={isSelf ? t('member.leave') : t('member.remove.named', { name: nameOf(member) })}
                onClick={() => setRemoved(member)}
              >
                <UserMinus size={16} />
              </ActionIcon>
            </Tooltip>
          </Group>
        );
      },
    },
  ];
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Text size="md" c="dimmed" maw="65ch">
          {t('members.description')}
        </Text>
        {isAdmin && (
          <Button leftSection={<UserPlus size={16} />} onClick={() => setIsInviting(true)}>
            {t('member.invite')}
          </Button>
        )}
      </Group>
      {change.error && <ErrorNotice error={change.error} {...(changeError && { message: t(changeError) })} />}
      <QueryState query={query}>
        {({ pages }) => (
          <DataTable
            label={t('members')}
            columns={columns}
            rows={pages.flatMap(({ members }) => members)}
            keyOf={({ user_id: id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      {isAdmin && <OpenInvitations workspaceId={workspace.id} />}
      {isInviting && <InvitationForm workspaceId={workspace.id} onClose={() => setIsInviting(false)} />}
      {removed && (
        <ActionDialog
          title={isLeaving ? t('member.leave.title') : t('member.remove.title', { name: nameOf(removed) })}
          text={t(isLeaving ? 'member.leave.text' : 'member.remove.text')}
          confirmText={t(isLeaving ? 'member.leave' : 'member.remove')}
          action={() => remove(removed.user_id)}
          messageOf={(error) => {
            const key = lastAdminErrorKey(error);
            return key && t(key);
          }}
          onDone={() => isLeaving && void navigate({ to: '/workspaces' })}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Stack>
  );
}

const nameOf = ({ email, user_id: id }: Member): string => email ?? id;

/** The text for a change that would leave a workspace without an admin; undefined if the error says all. */
const lastAdminErrorKey = (error: unknown): 'member.lastAdmin' | undefined =>
  toApiError(error).status === 409 ? 'member.lastAdmin' : undefined;

type Member = MemoSchemas['MemberResponse'];

const membersKey = (workspaceId: string) => [...workspaceKey(workspaceId), 'members'];

const membersQuery = (api: MemoApi, workspaceId: string) =>
  infiniteQueryOptions({
    queryKey: membersKey(workspaceId),
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/v1/workspaces/{workspace_id}/members', {
          signal,
          params: { path: { workspace_id: workspaceId }, query: pageAfter(pageParam) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

function useChangeRole(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: Role }) =>
      bodyOf(
        api.PATCH('/v1/workspaces/{workspace_id}/members/{user_id}', {
          params: { path: { workspace_id: workspaceId, user_id: userId } },
          body: { role },
        }),
      ),
    // An admin who gives the own role up sees other pages from then on.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workspaceKey(workspaceId) }),
  });
}

function useRemoveMember(workspaceId: string) {
  const api = useMemoApi();
  const queryClient = useQueryClient();
  return async (userId: string) => {
    await api.DELETE('/v1/workspaces/{workspace_id}/members/{user_id}', {
      params: { path: { workspace_id: workspaceId, user_id: userId } },
    });
    await queryClient.invalidateQueries({ queryKey: membersKey(workspaceId) });
  };
}

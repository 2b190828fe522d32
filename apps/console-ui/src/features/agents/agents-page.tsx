import { type Session } from '@inference/agent-client';
import {
  ActionIcon,
  Anchor,
  Button,
  Checkbox,
  Code,
  Group,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useSite } from '../../api/site';
import { type Column, DataTable } from '../../components/data-table';
import { DANGER } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ListTools, NothingFound } from '../../components/list-tools';
import { type ListView } from '../../components/list-view';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { Quantity } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { agentSessionsQuery, MAX_NAME_CHARS, nameOf, useAgentClients } from './agent-queries';
import { useAgentTexts } from './agent-texts';
import classes from './agents.module.css';
import { DeletionDialog, RenameDialog } from './conversation-dialogs';
import { FirstMessage } from './first-message';
import { SESSION_ORDERS, type SessionOrder } from './session-view';

/** So few are seen without search and order. */
const FEW_CONVERSATIONS = 5;

export function AgentsPage() {
  const t = useAgentTexts();
  const { features } = useSite();
  if (!features.agents)
    return (
      <Page title={t('title')}>
        <EmptyState title={t('notOffered')}>{t('notOffered.text')}</EmptyState>
      </Page>
    );
  return (
    <Page title={t('title')} description={t('description')}>
      <FirstMessage />
      <Conversations />
    </Page>
  );
}

/** The conversations that there are. */
function Conversations() {
  const t = useAgentTexts();
  const view = useSearch({ from: '/console/agents' });
  const navigate = useNavigate();
  const show = (search: ListView<SessionOrder>) => void navigate({ to: '/agents', search, replace: true });
  const query = useInfiniteQuery(agentSessionsQuery(useAgentClients().calls, view));
  const sessions = query.data?.pages.flatMap((page) => page.sessions) ?? [];
  const isChosen = view.q !== undefined;
  // The page says itself how to begin.
  if (!isChosen && query.data && sessions.length === 0) return null;
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('conversations')}</Title>
      {(isChosen || sessions.length > FEW_CONVERSATIONS) && (
        <ListTools
          hint={t('search.hint')}
          orders={SESSION_ORDERS.map((order) => ({ value: order, label: t(`order.${order}`) }))}
          view={view}
          onChange={show}
          maxLength={MAX_NAME_CHARS}
        />
      )}
      <QueryState
        query={query}
        isEmpty={() => sessions.length === 0}
        empty={<NothingFound title={t('nothing.title')} allText={t('nothing.all')} onAll={() => show({})} />}
      >
        {() => (
          <ConversationTable
            sessions={sessions}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Stack>
  );
}

interface TableProps {
  sessions: Session[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

/** Rows can be chosen, to be deleted together. */
function ConversationTable({ sessions, ...more }: TableProps) {
  const t = useAgentTexts();
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>(new Set());
  const [renamed, setRenamed] = useState<Session>();
  const [deleted, setDeleted] = useState<Session[]>();
  // What the search has hidden since it was chosen is not deleted.
  const chosen = sessions.filter(({ id }) => chosenIds.has(id));
  const choose = (id: string, isChosen: boolean) =>
    setChosenIds((ids) => new Set(isChosen ? [...ids, id] : [...ids].filter((one) => one !== id)));
  const columns: Column<Session>[] = [
    {
      key: 'name',
      title: t('column.name'),
      cell: (session) => (
        <Group gap="sm" wrap="nowrap">
          <Checkbox
            size="xs"
            aria-label={t('choose', { name: nameOf(session) })}
            checked={chosenIds.has(session.id)}
            onChange={({ currentTarget }) => choose(session.id, currentTarget.checked)}
          />
          <Anchor
            fw={500}
            inherit
            className={classes.name!}
            renderRoot={(props) => <Link {...props} to="/agents/$id" params={{ id: session.id }} />}
          >
            <MiddleCut text={nameOf(session)} />
          </Anchor>
        </Group>
      ),
    },
    { key: 'model', title: t('column.model'), place: 'status', cell: ({ model }) => <Code>{model}</Code> },
    {
      key: 'messages',
      title: t('column.messages'),
      isNumber: true,
      place: 'more',
      cell: ({ last_seq: count }) => <Quantity value={Figure.of(BigInt(count))} />,
    },
    {
      key: 'created',
      title: t('column.created'),
      place: 'status',
      cell: ({ created_at: at }) => <Time value={at} />,
    },
    { key: 'id', title: t('id'), place: 'more', cell: ({ id }) => <Code>{id}</Code> },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (session) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Tooltip label={t('rename')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('rename.named', { name: nameOf(session) })}
              onClick={() => setRenamed(session)}
            >
              <Pencil size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('delete')}>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('delete.named', { name: nameOf(session) })}
              onClick={() => setDeleted([session])}
            >
              <Trash2 size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ),
    },
  ];
  return (
    <>
      {chosen.length > 0 && (
        <Group gap="xs" role="group" aria-label={t('chosen', { count: chosen.length })}>
          <Text size="md" role="status">
            {t('chosen', { count: chosen.length })}
          </Text>
          <Button
            size="xs"
            color={DANGER}
            leftSection={<Trash2 size={14} />}
            onClick={() => setDeleted(chosen)}
          >
            {t('delete')}
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => setChosenIds(new Set(sessions.map(({ id }) => id)))}
          >
            {t('choose.all')}
          </Button>
          <Button size="xs" variant="default" onClick={() => setChosenIds(new Set())}>
            {t('choose.none')}
          </Button>
        </Group>
      )}
      <DataTable
        label={t('conversations')}
        columns={columns}
        rows={sessions}
        keyOf={({ id }) => id}
        {...more}
      />
      {renamed && <RenameDialog session={renamed} onClose={() => setRenamed(undefined)} />}
      {deleted && (
        <DeletionDialog
          sessions={deleted}
          onDeleted={() => setChosenIds(new Set())}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

import { Anchor, Button, Code, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Session } from '@inference/agent-client';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Figure } from '../../figures/figure';
import { Quantity } from '../../figures/quantity';
import { useSite } from '../../site/site';
import { Time } from '../../time/time';
import { agentSessionsQuery } from './agent-queries';
import classes from './agents.module.css';
import { SessionCreation } from './creation/session-creation';
import { useAgentTexts } from './texts/agent-texts';
import { useAgentClients } from './use-agent-clients';

export function AgentsPage() {
  const t = useAgentTexts();
  const { features } = useSite();
  if (features.agents) return <AgentSessions />;
  return (
    <Page title={t('title')}>
      <EmptyState title={t('notOffered')}>{t('notOffered.text')}</EmptyState>
    </Page>
  );
}

function AgentSessions() {
  const t = useAgentTexts();
  const { calls } = useAgentClients();
  const query = useInfiniteQuery(agentSessionsQuery(calls));
  const [isCreating, setIsCreating] = useState(false);
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('create')}
    </Button>
  );
  const sessions = query.data?.pages.flatMap((page) => page.sessions);
  const columns: Column<Session>[] = [
    {
      key: 'id',
      title: t('column.session'),
      cell: ({ id }) => (
        <Anchor
          fw={500}
          inherit
          style={{ overflowWrap: 'anywhere' }}
          renderRoot={(props) => <Link {...props} to="/agents/$id" params={{ id }} />}
        >
          {id}
        </Anchor>
      ),
    },
    { key: 'model', title: t('column.model'), cell: ({ model }) => <Code>{model}</Code> },
    {
      key: 'events',
      title: t('column.events'),
      isNumber: true,
      cell: ({ last_seq: count }) => <Quantity value={Figure.of(BigInt(count))} />,
    },
    { key: 'created', title: t('column.created'), cell: ({ created_at: at }) => <Time value={at} /> },
    {
      key: 'system',
      title: t('column.system'),
      cell: ({ system }) => (
        <Text span inherit c="dimmed" className={classes.system} title={system ?? ''}>
          {system ?? '–'}
        </Text>
      ),
    },
  ];
  return (
    <Page title={t('title')} description={t('description')} actions={sessions?.length ? createButton : null}>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages[0]?.sessions.length === 0}
        empty={
          <EmptyState title={t('empty')} action={createButton}>
            {t('empty.text')}
          </EmptyState>
        }
      >
        {() => (
          <DataTable
            label={t('title')}
            columns={columns}
            rows={sessions ?? []}
            keyOf={({ id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      {isCreating && <SessionCreation onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

import { type Session } from '@inference/agent-client';
import { Anchor, Button, Code, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { FormDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { Quantity } from '../../figures/figure-text';
import { useSite } from '../../api/site';
import { Time } from '../../time/time';
import { playgroundModelsQuery } from '../playground/request-samples';
import { AGENT_SESSIONS, agentSessionsQuery, apiErrorOfAgent, useAgentClients } from './agent-queries';
import { useAgentTexts } from './agent-texts';
import classes from './agents.module.css';
import { toolsIn } from './tool-calls';

const EXAMPLE_TOOLS = `[{"type": "function", "function": {"name": "weather",
  "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]`;

/** Creates a session and opens it. */
function SessionCreation({ onClose }: { onClose: () => void }) {
  const t = useAgentTexts();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { calls } = useAgentClients();
  const { data: models = [] } = useQuery(playgroundModelsQuery(useConsoleApi()));
  const form = useForm({
    initialValues: { id: '', model: '', system: '', tools: '' },
    validate: {
      id: (value) => (/^[A-Za-z0-9._:-]{0,128}$/.test(value.trim()) ? null : t('name.invalid')),
      tools: (value) => (toolsIn(value) ? null : t('tools.invalid')),
    },
  });
  const creation = useMutation({
    mutationFn: ({ id, model, system, tools }: typeof form.values) =>
      calls.sessions.create({
        ...(id.trim() && { id: id.trim() }),
        ...(model && { model }),
        ...(system.trim() && { system }),
        tools: toolsIn(tools) ?? [],
      }),
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: AGENT_SESSIONS });
      void navigate({ to: '/agents/$id', params: { id } });
    },
  });
  const error = creation.error && apiErrorOfAgent(creation.error);
  return (
    <FormDialog
      size="lg"
      title={t('create')}
      submitText={t('create.submit')}
      isPending={creation.isPending}
      onSubmit={form.onSubmit((values) => creation.mutate(values))}
      onClose={onClose}
    >
      {error && <ErrorNotice error={error} {...(error.status === 409 && { message: t('name.taken') })} />}
      <TextInput
        label={t('name')}
        description={t('name.hint')}
        maxLength={128}
        data-autofocus
        {...form.getInputProps('id')}
      />
      <Select
        label={t('model')}
        placeholder={t('model.default')}
        data={models}
        clearable
        {...form.getInputProps('model')}
      />
      <Textarea
        label={t('system')}
        description={t('system.hint')}
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps('system')}
      />
      <Textarea
        label={t('tools')}
        description={t('tools.hint')}
        placeholder={EXAMPLE_TOOLS}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        {...form.getInputProps('tools')}
      />
    </FormDialog>
  );
}

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

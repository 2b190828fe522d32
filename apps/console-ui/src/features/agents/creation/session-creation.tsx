import { Button, Group, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useConsoleApi } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { playgroundModelsQuery } from '../../playground/playground-queries';
import { AGENT_SESSIONS } from '../agent-queries';
import { useAgentTexts } from '../texts/agent-texts';
import { apiErrorOfAgent, useAgentClients } from '../use-agent-clients';
import { toolsIn } from './tools-in';

const EXAMPLE_TOOLS = `[{"type": "function", "function": {"name": "weather",
  "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]`;

/** Creates a session and opens it. */
export function SessionCreation({ onClose }: { onClose: () => void }) {
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
    <Modal opened onClose={onClose} size="lg" title={t('create')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit((values) => creation.mutate(values))} noValidate>
        <Stack>
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
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={creation.isPending}>
              {t('create.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

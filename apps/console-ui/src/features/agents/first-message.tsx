import { Button, Collapse, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { followTurn } from '../../activities/followed-turns';
import { useConsoleApi } from '../../api/console-api';
import { useAccountId } from '../../api/session';
import { ErrorNotice } from '../../components/error-notice';
import { playgroundModelsQuery } from '../playground/request-samples';
import {
  AGENT_SESSIONS,
  apiErrorOfAgent,
  firstNameOf,
  MAX_NAME_CHARS,
  useAgentClients,
} from './agent-queries';
import { useAgentTexts } from './agent-texts';
import classes from './agents.module.css';
import { Composer } from './composer';
import { toolsIn } from './tool-calls';

const EXAMPLE_TOOLS = `[{"type": "function", "function": {"name": "weather",
  "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]`;

interface Settings {
  model: string;
  name: string;
  id: string;
  system: string;
  tools: string;
}

/** Begins a conversation with its first message, opens it, and leaves nothing behind if the message is refused. */
function useFirstMessage() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const accountId = useAccountId();
  const { calls } = useAgentClients();
  return useMutation({
    mutationFn: async ({ content, settings }: { content: string; settings: Settings }) => {
      const { model, name, id: ownId, system, tools } = settings;
      const { id } = await calls.sessions.create({
        ...(ownId.trim() && { id: ownId.trim() }),
        ...(model && { model }),
        ...(system.trim() && { system }),
        tools: toolsIn(tools) ?? [],
        metadata: { title: name.trim() || firstNameOf(content) },
      });
      try {
        await calls.events.send(id, { role: 'user', content });
      } catch (error) {
        await calls.sessions.delete(id).catch(() => undefined);
        throw error;
      }
      return id;
    },
    onSuccess: (id) => {
      followTurn(accountId, id);
      void queryClient.invalidateQueries({ queryKey: AGENT_SESSIONS });
      void navigate({ to: '/agents/$id', params: { id } });
    },
  });
}

/** The first message of a new conversation. A model is chosen already; what few need stands behind a button. */
export function FirstMessage() {
  const t = useAgentTexts();
  const { data: models = [] } = useQuery(playgroundModelsQuery(useConsoleApi()));
  const [isOpen, { toggle, open }] = useDisclosure();
  const beginning = useFirstMessage();
  const form = useForm<Settings>({
    initialValues: { model: '', name: '', id: '', system: '', tools: '' },
    validate: {
      id: (value) => (/^[A-Za-z0-9._:-]{0,128}$/.test(value.trim()) ? null : t('id.invalid')),
      tools: (value) => (toolsIn(value) ? null : t('tools.invalid')),
    },
  });
  const model = form.values.model || (models[0] ?? '');
  const send = async (content: string) => {
    if (form.validate().hasErrors) {
      open();
      return false;
    }
    try {
      await beginning.mutateAsync({ content, settings: { ...form.values, model } });
      return true;
    } catch {
      return false;
    }
  };
  const error = beginning.error && apiErrorOfAgent(beginning.error);
  return (
    <Stack component="section" aria-label={t('create')} gap="sm">
      {error && <ErrorNotice error={error} {...(error.status === 409 && { message: t('id.taken') })} />}
      <Composer
        autoFocus
        isBusy={beginning.isPending}
        onSend={send}
        tools={
          <>
            <Select
              className={classes.model!}
              aria-label={t('model')}
              placeholder={t('model.default')}
              data={models}
              searchable
              allowDeselect={false}
              value={model || null}
              onChange={(chosen) => form.setFieldValue('model', chosen ?? '')}
            />
            <Button
              variant="subtle"
              px="xs"
              flex="none"
              aria-expanded={isOpen}
              rightSection={isOpen ? <ChevronUp size={14} /> : <ChevronDown size={14} />}
              onClick={toggle}
            >
              {t('more')}
            </Button>
          </>
        }
      >
        <Collapse expanded={isOpen}>
          <Stack gap="sm">
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
            <TextInput
              label={t('name')}
              description={t('name.hint')}
              maxLength={MAX_NAME_CHARS}
              {...form.getInputProps('name')}
            />
            <TextInput
              label={t('id')}
              description={t('id.hint')}
              maxLength={128}
              {...form.getInputProps('id')}
            />
          </Stack>
        </Collapse>
      </Composer>
    </Stack>
  );
}

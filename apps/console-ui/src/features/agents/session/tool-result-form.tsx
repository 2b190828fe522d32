import { Button, Checkbox, Code, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ToolCall, type ToolCallResult } from '@inference/agent-client';
import { useAgentTexts } from '../texts/agent-texts';

interface Props {
  calls: ToolCall[];
  onSend: (results: ToolCallResult[]) => void;
}

/** Answers the tool calls for which a turn waits. */
export function ToolResultForm({ calls, onSend }: Props) {
  const t = useAgentTexts();
  const form = useForm({
    initialValues: { results: calls.map(() => ({ content: '', is_error: false })) },
  });
  const submit = ({ results }: typeof form.values) =>
    onSend(calls.map(({ id }, index) => ({ tool_call_id: id, ...results[index]! })));
  return (
    <Paper withBorder p="md" component="section" aria-label={t('toolCalls')}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack gap="md">
          <Text size="md">{t('toolCalls.text', { count: calls.length })}</Text>
          {calls.map(({ id, function: { name, arguments: written } }, index) => (
            <Stack key={id} gap="xs">
              <Code block>{`${name}(${written})`}</Code>
              <Textarea
                label={t('result', { name })}
                autosize
                minRows={2}
                maxRows={8}
                {...form.getInputProps(`results.${index}.content`)}
              />
              <Checkbox
                label={t('result.isError')}
                {...form.getInputProps(`results.${index}.is_error`, { type: 'checkbox' })}
              />
            </Stack>
          ))}
          <Group justify="flex-end">
            <Button type="submit">{t('result.send')}</Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

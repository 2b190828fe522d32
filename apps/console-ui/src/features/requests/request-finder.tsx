import { Button, Group, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { useRequestTexts } from './texts/request-texts';

/** Opens a request by its id, such as one from a program's log. */
export function RequestFinder() {
  const t = useRequestTexts();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const requestId = text.trim();
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    if (requestId) void navigate({ to: '/requests/$requestId', params: { requestId } });
  };
  return (
    <form onSubmit={find} role="search" aria-label={t('find')}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label={t('id')}
          placeholder="req_…"
          leftSection={<Search size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          spellCheck={false}
          autoComplete="off"
          flex="1"
          maw="28rem"
        />
        <Button type="submit" variant="default">
          {t('find.do')}
        </Button>
      </Group>
    </form>
  );
}

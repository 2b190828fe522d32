import { ActionIcon, Button, Group, Stack, Text, Title, Tooltip } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMemoApi } from '../../../api/service-apis';
import { QueryState } from '../../../components/query-state';
import { Time } from '../../../time/time';
import { ActionDialog } from '../dialogs';
import { useChatTexts } from './chat-texts';
import { type Conversation, conversationsQuery, useDeleteConversation } from './chat-queries';
import classes from './chat.module.css';

interface Props {
  workspaceId: string;
  /** The open conversation. */
  openId: string | undefined;
  onDeleted: (id: string) => void;
}

/** The caller's conversations, newest first. */
export function ConversationList({ workspaceId, openId, onDeleted }: Props) {
  const t = useChatTexts();
  const query = useInfiniteQuery(conversationsQuery(useMemoApi(), workspaceId));
  const deleteConversation = useDeleteConversation(workspaceId);
  const [deleted, setDeleted] = useState<Conversation>();
  return (
    <Stack component="section" gap="xs" aria-label={t('conversations')}>
      <Title order={2}>{t('conversations')}</Title>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages[0]?.conversations.length === 0}
        empty={
          <Text size="sm" c="dimmed">
            {t('conversations.empty')}
          </Text>
        }
      >
        {({ pages }) => (
          <Stack gap={4}>
            {pages
              .flatMap(({ conversations }) => conversations)
              .map((conversation) => (
                <Group key={conversation.id} gap={4} wrap="nowrap">
                  <Link
                    to="/workspaces/$id/ask"
                    params={{ id: workspaceId }}
                    search={{ conversation: conversation.id }}
                    className={classes.conversation!}
                    aria-current={conversation.id === openId ? 'page' : undefined}
                  >
                    <Text size="md" inherit className={classes.name!} title={conversation.title}>
                      {conversation.title}
                    </Text>
                    <Text size="sm" c="dimmed">
                      <Time value={conversation.updated_at} />
                    </Text>
                  </Link>
                  <Tooltip label={t('delete')}>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={t('conversation.delete.named', { title: conversation.title })}
                      onClick={() => setDeleted(conversation)}
                    >
                      <Trash2 size={16} />
                    </ActionIcon>
                  </Tooltip>
                </Group>
              ))}
            {query.hasNextPage && (
              <Button
                size="xs"
                variant="default"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t('more')}
              </Button>
            )}
          </Stack>
        )}
      </QueryState>
      {deleted && (
        <ActionDialog
          title={t('conversation.delete.title')}
          text={t('conversation.delete.text', { title: deleted.title })}
          confirmText={t('delete')}
          action={() => deleteConversation(deleted.id)}
          onDone={() => onDeleted(deleted.id)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </Stack>
  );
}

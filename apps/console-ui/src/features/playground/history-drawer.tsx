import { ActionIcon, Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil, Search, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { ConfirmDialog, FormDialog } from '../../components/dialogs';
import { ErrorNotice } from '../../components/error-notice';
import { MiddleCut } from '../../components/middle-cut';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { usePlaygroundTexts } from './playground-texts';
import classes from './playground.module.css';
import {
  conversationsQuery,
  type ListedConversation,
  useDeleteConversations,
  useRenameConversation,
} from './saved-queries';

const SEARCH_DELAY_MILLIS = 250;
const MOST_TITLE_CHARS = 200;

interface Props {
  /** The open conversation. */
  openId: string | undefined;
  onClose: () => void;
  /** Called after the open conversation was deleted. */
  onDeleted: () => void;
}

/** The saved conversations of the account; the one that was changed last is first. */
export function HistoryDrawer({ openId, onClose, onDeleted }: Props) {
  const t = usePlaygroundTexts();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MILLIS);
  const query = useInfiniteQuery(conversationsQuery(useConsoleApi(), search));
  const deletion = useDeleteConversations();
  const [renamed, setRenamed] = useState<ListedConversation>();
  const [deleted, setDeleted] = useState<ListedConversation | 'all'>();
  const closeDeletion = () => {
    deletion.reset();
    setDeleted(undefined);
  };
  const confirmDeletion = (what: ListedConversation | 'all') => {
    const id = what === 'all' ? what : what.id;
    deletion.mutate(id, {
      onSuccess: () => {
        closeDeletion();
        if (openId !== undefined && (id === 'all' || id === openId)) onDeleted();
      },
    });
  };
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={t('history')}
      closeButtonProps={{ 'aria-label': t('history.close') }}
    >
      <Stack gap="sm">
        <TextInput
          aria-label={t('history.search')}
          placeholder={t('history.search')}
          leftSection={<Search size={16} />}
          maxLength={MOST_TITLE_CHARS}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <QueryState
          query={query}
          isEmpty={({ pages }) => pages[0]?.conversations.length === 0}
          empty={
            <Text size="md" c="dimmed">
              {t(search ? 'history.notFound' : 'history.empty')}
            </Text>
          }
        >
          {({ pages }) => (
            <Stack gap={4} component="ul" className={classes.history!}>
              {pages
                .flatMap(({ conversations }) => conversations)
                .map((conversation) => (
                  <Group key={conversation.id} component="li" gap={4} wrap="nowrap">
                    <Link
                      to="/playground"
                      search={{ conversation: conversation.id }}
                      className={classes.entry}
                      aria-current={conversation.id === openId ? 'page' : undefined}
                      onClick={onClose}
                    >
                      <Text size="md">
                        <MiddleCut text={conversation.title} />
                      </Text>
                      <Text size="sm" c="dimmed">
                        <Time value={conversation.updated_at} />
                      </Text>
                    </Link>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('history.rename.named', { title: conversation.title })}
                      title={t('history.rename')}
                      onClick={() => setRenamed(conversation)}
                    >
                      <Pencil size={16} />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={t('history.delete.named', { title: conversation.title })}
                      title={t('delete')}
                      onClick={() => setDeleted(conversation)}
                    >
                      <Trash2 size={16} />
                    </ActionIcon>
                  </Group>
                ))}
            </Stack>
          )}
        </QueryState>
        {query.hasNextPage && (
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {t('history.more')}
          </Button>
        )}
        {(query.data?.pages[0]?.conversations.length ?? 0) > 0 && !search && (
          <Button variant="subtle" color="red" onClick={() => setDeleted('all')}>
            {t('history.deleteAll')}
          </Button>
        )}
      </Stack>
      {renamed && <RenameDialog conversation={renamed} onClose={() => setRenamed(undefined)} />}
      {deleted && (
        <ConfirmDialog
          title={t(deleted === 'all' ? 'history.deleteAll' : 'history.delete')}
          text={
            deleted === 'all'
              ? t('history.deleteAll.text')
              : t('history.delete.text', { title: deleted.title })
          }
          confirmText={t('delete')}
          doing={deletion}
          onConfirm={() => confirmDeletion(deleted)}
          onClose={closeDeletion}
        />
      )}
    </Drawer>
  );
}

function RenameDialog({ conversation, onClose }: { conversation: ListedConversation; onClose: () => void }) {
  const t = usePlaygroundTexts();
  const { mutate, isPending, error } = useRenameConversation();
  const [title, setTitle] = useState(conversation.title);
  return (
    <FormDialog
      title={t('history.rename')}
      submitText={t('save')}
      isDisabled={title.trim() === ''}
      isPending={isPending}
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ id: conversation.id, title: title.trim() }, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      {error && <ErrorNotice error={error} />}
      <TextInput
        label={t('history.title')}
        data-autofocus
        maxLength={MOST_TITLE_CHARS}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

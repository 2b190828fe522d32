import { Group, Paper, Select, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { infiniteQueryOptions, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { FormDialog } from '../../components/dialogs';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { Markdown } from '../../components/markdown/markdown';
import { changelogQuery } from '../changelog/changelog-queries';
import { type Component, COMPONENTS } from '../downloads/release-queries';
import { useAdminChangelogTexts } from './admin-changelog-texts';
import classes from './admin-changelog.module.css';

export type Entry = Schemas['ChangelogEntryResponse'];
type EntryContent = Schemas['ChangelogEntryDto'];

const PAGE_ENTRIES = 20;
const ENTRIES = ['admin-changelog'];

/** The public list, past the cache of the browser, which keeps it for a minute. */
export const entriesQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: ENTRIES,
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/changelog', {
          params: { query: { limit: PAGE_ENTRIES, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
          cache: 'reload',
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

const refresh = (queryClient: QueryClient, api: ConsoleApi) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ENTRIES }),
    queryClient.invalidateQueries({ queryKey: changelogQuery(api).queryKey }),
  ]);

/** Publishes an entry, or replaces the one with the id. */
function useSaveEntry(id: string | undefined) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: EntryContent) =>
      id === undefined
        ? bodyOf(api.POST('/api/admin/changelog', { body }))
        : bodyOf(api.PUT('/api/admin/changelog/{id}', { params: { path: { id } }, body })),
    onSuccess: () => refresh(queryClient, api),
  });
}

export function useDeleteEntry() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.DELETE('/api/admin/changelog/{id}', { params: { path: { id } } }),
    onSuccess: () => refresh(queryClient, api),
  });
}

/** Writes an entry beside what readers will see of it. */
export function EntryDialog({ entry, onClose }: { entry?: Entry | undefined; onClose: () => void }) {
  const t = useAdminChangelogTexts();
  const save = useSaveEntry(entry?.id);
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: {
      title: entry?.title ?? '',
      body: entry?.body ?? '',
      component: entry?.component ?? null,
      tag_name: entry?.tag_name ?? '',
    },
    validate: {
      title: (title) => (title.trim() ? null : t('entry.title.missing')),
      body: (body) => (body.trim() ? null : t('entry.body.missing')),
    },
  });
  const { title, body, component } = form.values;
  const submit = ({ tag_name: tag, ...values }: typeof form.values) => {
    setFailure(undefined);
    save.mutate(
      {
        title: values.title.trim(),
        body: values.body,
        ...(values.component && { component: values.component }),
        ...(values.component && tag.trim() && { tag_name: tag.trim() }),
      },
      {
        onSuccess: () => {
          notifications.show({ message: t('saved') });
          onClose();
        },
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  return (
    <FormDialog
      size="72rem"
      title={entry ? t('edit.title') : t('create')}
      submitText={entry ? t('edit.submit') : t('create.submit')}
      isPending={save.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      <div className={classes.sides}>
        <Stack>
          <TextInput
            label={t('entry.title')}
            maxLength={200}
            required
            data-autofocus
            {...form.getInputProps('title')}
          />
          <Textarea
            label={t('entry.body')}
            description={t('entry.body.hint')}
            rows={12}
            maxLength={50_000}
            required
            {...form.getInputProps('body')}
          />
          <Group align="flex-start" grow>
            <Select
              label={t('entry.component')}
              clearable
              data={[...COMPONENTS]}
              value={component}
              onChange={(value) => form.setFieldValue('component', value as Component | null)}
            />
            <TextInput
              label={t('entry.tag')}
              placeholder="v1.2.3"
              disabled={!component}
              {...form.getInputProps('tag_name')}
            />
          </Group>
        </Stack>
        <section aria-label={t('preview')}>
          <Text size="sm" fw={600} mb={4}>
            {t('preview')}
          </Text>
          <Paper withBorder p="lg">
            <Stack gap="sm">
              {title || body ? (
                <>
                  <Title order={3}>{title}</Title>
                  <Markdown text={body} />
                </>
              ) : (
                <Text c="dimmed">{t('preview.empty')}</Text>
              )}
            </Stack>
          </Paper>
        </section>
      </div>
    </FormDialog>
  );
}

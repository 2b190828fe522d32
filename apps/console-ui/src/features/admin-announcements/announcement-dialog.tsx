import { Group, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { FormDialog } from '../../components/dialogs';
import MomentField from '../../components/moment-field';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { useAdminAnnouncementTexts } from './admin-announcement-texts';
import { type Announcement, useCreateAnnouncement, useReplaceAnnouncement } from './announcement-queries';

const SEVERITIES = ['info', 'warning', 'critical'] as const;
const AUDIENCES = ['all', 'accounts', 'model'] as const;
const MAX_TITLE_CHARS = 200;
const MAX_BODY_CHARS = 2_000;
const MINUTE_MILLIS = 60_000;

/** As a field for a local time has it: `2026-03-08T09:30`. */
function localMinute(instant: string | null | undefined): string {
  if (!instant) return '';
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MILLIS).toISOString().slice(0, 16);
}

/** Makes an announcement, or changes all of one but its audience. */
export function AnnouncementDialog({
  announcement,
  onClose,
}: {
  announcement?: Announcement;
  onClose: () => void;
}) {
  const t = useAdminAnnouncementTexts();
  const [creation, replacement] = [useCreateAnnouncement(), useReplaceAnnouncement()];
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: {
      severity: announcement?.severity ?? 'info',
      audience: announcement?.audience ?? 'all',
      account_ids: [] as string[],
      model: '',
      title_en: announcement?.title_en ?? '',
      body_en: announcement?.body_en ?? '',
      title_zh: announcement?.title_zh ?? '',
      body_zh: announcement?.body_zh ?? '',
      starts_at: localMinute(announcement?.starts_at),
      ends_at: localMinute(announcement?.ends_at),
    },
    validate: (values) => {
      const missing = (text: string) => (text.trim() ? null : t('text.missing'));
      return {
        title_en: missing(values.title_en),
        body_en: missing(values.body_en),
        title_zh: missing(values.title_zh),
        body_zh: missing(values.body_zh),
        ...(!announcement && {
          account_ids:
            values.audience === 'accounts' && values.account_ids.length === 0 ? t('accounts.missing') : null,
          model: values.audience === 'model' && !values.model.trim() ? t('model.missing') : null,
        }),
      };
    },
  });
  const { severity, audience } = form.values;
  const submit = (values: typeof form.values) => {
    setFailure(undefined);
    const { severity, title_en, body_en, title_zh, body_zh } = values;
    // What was not touched keeps its seconds.
    const timeOf = (name: 'starts_at' | 'ends_at') => {
      if (announcement && values[name] === localMinute(announcement[name]))
        return announcement[name] ?? undefined;
      return values[name] === '' ? undefined : new Date(values[name]).toISOString();
    };
    const [starts_at, ends_at] = [timeOf('starts_at'), timeOf('ends_at')];
    const content = {
      ...{ severity, title_en: title_en.trim(), body_en, title_zh: title_zh.trim(), body_zh },
      ...(starts_at !== undefined && { starts_at }),
      ...(ends_at !== undefined && { ends_at }),
    };
    const done = {
      onSuccess: () => {
        notifications.show({ message: t(announcement ? 'edited' : 'created') });
        onClose();
      },
      onError: (error: Error) => setFailure(showFieldErrors(form, error)),
    };
    if (announcement) return replacement.mutate({ id: announcement.id, body: content }, done);
    creation.mutate(
      {
        ...content,
        audience: values.audience,
        ...(values.audience === 'accounts' && { account_ids: values.account_ids }),
        ...(values.audience === 'model' && { model: values.model.trim() }),
      },
      done,
    );
  };
  return (
    <FormDialog
      size="48rem"
      title={announcement ? t('edit.title') : t('create')}
      submitText={announcement ? t('edit.submit') : t('create.submit')}
      isPending={creation.isPending || replacement.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      <Stack>
        <Select
          label={t('column.severity')}
          description={t('severity.hint')}
          allowDeselect={false}
          data={SEVERITIES.map((value) => ({ value, label: t(`severity.${value}`) }))}
          value={severity}
          onChange={(value) => form.setFieldValue('severity', value as typeof severity)}
        />
        {!announcement && (
          <Select
            label={t('column.audience')}
            allowDeselect={false}
            data={AUDIENCES.map((value) => ({ value, label: t(`audience.${value}`) }))}
            value={audience}
            onChange={(value) => form.setFieldValue('audience', value as typeof audience)}
          />
        )}
        {!announcement && audience === 'accounts' && (
          <TagsInput
            label={t('accounts')}
            description={t('accounts.hint')}
            required
            {...form.getInputProps('account_ids')}
          />
        )}
        {!announcement && audience === 'model' && (
          <TextInput
            label={t('model')}
            description={t('model.hint')}
            required
            {...form.getInputProps('model')}
          />
        )}
        <TextInput
          label={t('titleEn')}
          maxLength={MAX_TITLE_CHARS}
          required
          {...form.getInputProps('title_en')}
        />
        <Textarea
          label={t('bodyEn')}
          description={t('text.hint')}
          rows={3}
          maxLength={MAX_BODY_CHARS}
          required
          {...form.getInputProps('body_en')}
        />
        <TextInput
          label={t('titleZh')}
          maxLength={MAX_TITLE_CHARS}
          required
          {...form.getInputProps('title_zh')}
        />
        <Textarea
          label={t('bodyZh')}
          rows={3}
          maxLength={MAX_BODY_CHARS}
          required
          {...form.getInputProps('body_zh')}
        />
        <Group align="flex-start">
          <MomentField
            flex="1 1 15rem"
            label={t('starts')}
            description={t('starts.hint')}
            {...form.getInputProps('starts_at')}
          />
          <MomentField label={t('ends')} description={t('ends.hint')} {...form.getInputProps('ends_at')} />
        </Group>
      </Stack>
    </FormDialog>
  );
}

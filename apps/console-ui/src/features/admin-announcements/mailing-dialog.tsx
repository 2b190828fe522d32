import { Alert, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { FormDialog } from '../../components/dialogs';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { Figure } from '../../figures/figure';
import { useAdminAnnouncementTexts } from './admin-announcement-texts';
import {
  type Announcement,
  type Mailing,
  mailingCountQuery,
  useMailAnnouncement,
} from './announcement-queries';

/** Pause in typing before the accounts are counted. */
const COUNT_DELAY_MILLIS = 400;
const MAX_ACTIVE_DAYS = 365;

/** Sends an announcement by mail, after it was shown how many accounts get it. */
export function MailingDialog({
  announcement,
  title,
  onClose,
}: {
  announcement: Announcement;
  title: string;
  onClose: () => void;
}) {
  const t = useAdminAnnouncementTexts();
  const api = useConsoleApi();
  const mailing = useMailAnnouncement();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { used_model: '', active_within_days: '' as number | string, tier: '' },
  });
  const { used_model: model, active_within_days: days, tier } = form.values;
  const selection: Mailing = {
    ...(model.trim() && { used_model: model.trim() }),
    ...(days !== '' && { active_within_days: Figure.of(String(days)) }),
    ...(tier.trim() && { tier: tier.trim() }),
  };
  const [settled] = useDebouncedValue(selection, COUNT_DELAY_MILLIS);
  const keyOf = (one: Mailing) => [one.used_model, one.active_within_days?.toString(), one.tier].join('\n');
  const count = useQuery(mailingCountQuery(api, announcement.id, settled));
  const isCounted = count.isSuccess && keyOf(settled) === keyOf(selection);
  const recipients = isCounted ? count.data.recipients.toScreenNumber() : undefined;
  const submit = () => {
    setFailure(undefined);
    mailing.mutate(
      { id: announcement.id, body: selection },
      {
        onSuccess: () => {
          notifications.show({ message: t('mail.started') });
          onClose();
        },
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  return (
    <FormDialog
      title={t('mail.title', { title })}
      submitText={recipients === undefined ? t('mail.submit') : t('mail.send', { count: recipients })}
      isPending={mailing.isPending}
      isDisabled={!recipients}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      <Stack>
        <Text size="md">{t('mail.text')}</Text>
        <TextInput
          label={t('mail.model')}
          description={t('mail.model.hint')}
          {...form.getInputProps('used_model')}
        />
        <NumberInput
          label={t('mail.days')}
          description={t('mail.days.hint')}
          min={1}
          max={MAX_ACTIVE_DAYS}
          allowDecimal={false}
          {...form.getInputProps('active_within_days')}
        />
        <TextInput label={t('mail.tier')} description={t('mail.tier.hint')} {...form.getInputProps('tier')} />
        {count.isError ? (
          <ErrorNotice error={count.error} />
        ) : (
          <Alert variant="light" color={recipients === 0 ? 'yellow' : 'blue'} role="status">
            {recipients === undefined ? t('mail.counting') : t('mail.recipients', { count: recipients })}
          </Alert>
        )}
      </Stack>
    </FormDialog>
  );
}

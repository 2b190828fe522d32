import { Button, Group, PasswordInput, Skeleton, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { toApiError } from '../../api/api-error';
import { useConsoleApi } from '../../api/console-api';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { QueryState } from '../../components/query-state';
import { useAccount } from '../../api/account';
import { SecondFactor } from './second-factor';
import { Card, SettingsPage } from './settings-page';
import { useCredentialChange } from './settings-queries';
import { useSettingsTexts } from './settings-texts';

const MIN_LENGTH = 8;

function PasswordForm({ email }: { email: string }) {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current_password: '', new_password: '' },
    validate: {
      current_password: (value) => (value ? null : t('password.currentMissing')),
      new_password: (value) =>
        value.length >= MIN_LENGTH ? null : t('password.short', { length: MIN_LENGTH }),
    },
  });
  const change = useCredentialChange((body: typeof form.values) => api.PUT('/api/auth/password', { body }));
  const submit = (body: typeof form.values) => {
    setFailure(undefined);
    change.mutate(body, {
      onSuccess: () => {
        form.reset();
        notifications.show({ message: t('password.done') });
      },
      onError: (error) => {
        if (toApiError(error).status === 403) form.setFieldError('current_password', t('password.wrong'));
        else setFailure(showFieldErrors(form, error));
      },
    });
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack maw="24rem">
        {failure !== undefined && <ErrorNotice error={failure} />}
        {/* Tells password managers whose password it is. */}
        <input type="hidden" autoComplete="username" value={email} readOnly />
        <PasswordInput
          label={t('password.current')}
          autoComplete="current-password"
          required
          {...form.getInputProps('current_password')}
          key={form.key('current_password')}
        />
        <PasswordInput
          label={t('password.new')}
          description={t('password.rule', { length: MIN_LENGTH })}
          autoComplete="new-password"
          required
          {...form.getInputProps('new_password')}
          key={form.key('new_password')}
        />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t('password.change')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function SecurityPage() {
  const t = useSettingsTexts();
  return (
    <SettingsPage part="security">
      <QueryState query={useAccount()} skeleton={<Skeleton height={360} />}>
        {(account) => (
          <>
            <Card title={t('password')} description={t('password.text')}>
              {account.has_password ? (
                <PasswordForm email={account.email} />
              ) : (
                <Text size="md">{t('password.none')}</Text>
              )}
            </Card>
            <SecondFactor account={account} />
          </>
        )}
      </QueryState>
    </SettingsPage>
  );
}

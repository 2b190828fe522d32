import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { toApiError } from '../../../api/api-error';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { type Account, useDisableSecondFactor } from '../account-queries';
import { useAdminAccountTexts } from '../texts/admin-account-texts';

const FORBIDDEN = 403;

export function SecondFactorDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = useAdminAccountTexts();
  const change = useDisableSecondFactor(account.id);
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: (value) => (value ? null : t('disable.password.missing')) },
  });
  const submit = ({ password }: typeof form.values) =>
    change.mutate(password, {
      onSuccess: () => {
        notifications.show({ message: t('disable.done') });
        onClose();
      },
    });
  const isRefused = change.error && toApiError(change.error).status === FORBIDDEN;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('disable.title', { name: account.email })}
      closeOnClickOutside={false}
    >
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {change.error && (
            <ErrorNotice error={change.error} {...(isRefused && { message: t('disable.refused') })} />
          )}
          <Text size="md">{t('disable.text')}</Text>
          <PasswordInput
            label={t('disable.password')}
            autoComplete="current-password"
            required
            data-autofocus
            {...form.getInputProps('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" color="red" loading={change.isPending}>
              {t('disable')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

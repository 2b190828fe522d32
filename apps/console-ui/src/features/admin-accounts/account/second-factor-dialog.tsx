import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { toApiError } from '../../../api/api-error';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { type Account, useDisableSecondFactor } from '../account-queries';
import { useAdminAccountTexts } from '../texts/admin-account-texts';
import { ConfirmationField, confirmationOf, useConfirmationKind } from './confirmation-field';

const FORBIDDEN = 403;

export function SecondFactorDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = useAdminAccountTexts();
  const change = useDisableSecondFactor(account.id);
  const kind = useConfirmationKind();
  const form = useForm({
    initialValues: { secret: '' },
    validate: { secret: (value) => (value || kind === 'recent' ? null : t(`confirm.${kind}.missing`)) },
  });
  const submit = ({ secret }: typeof form.values) =>
    change.mutate(confirmationOf(kind, secret), {
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
            <ErrorNotice error={change.error} {...(isRefused && { message: t(`confirm.${kind}.refused`) })} />
          )}
          <Text size="md">{t('disable.text')}</Text>
          <ConfirmationField kind={kind} {...form.getInputProps('secret')} />
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

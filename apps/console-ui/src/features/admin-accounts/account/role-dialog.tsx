import { Alert, Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { toApiError } from '../../../api/api-error';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { type Account, ROLES, useChangeRole } from '../account-queries';
import { useAdminAccountTexts } from '../admin-account-texts';
import { ConfirmationField, confirmationOf, useConfirmationKind } from './confirmation-field';

const FORBIDDEN = 403;
const CONFLICT = 409;

export function RoleDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = useAdminAccountTexts();
  const change = useChangeRole(account.id);
  const kind = useConfirmationKind();
  const form = useForm({
    initialValues: { role: account.role, secret: '' },
    validate: { secret: (value) => (value || kind === 'recent' ? null : t(`confirm.${kind}.missing`)) },
  });
  const submit = ({ role, secret }: typeof form.values) =>
    change.mutate(
      { role, ...confirmationOf(kind, secret) },
      {
        onSuccess: () => {
          notifications.show({ message: t('changeRole.done') });
          onClose();
        },
      },
    );
  const status = change.error && toApiError(change.error).status;
  const { role } = form.values;
  const isUnproven = !account.email_verified && role !== 'user';
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('changeRole.title', { name: account.email })}
      closeOnClickOutside={false}
    >
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {change.error && (
            <ErrorNotice
              error={change.error}
              {...(status === CONFLICT && { message: t('changeRole.last') })}
              {...(status === FORBIDDEN && { message: t(`confirm.${kind}.refused`) })}
            />
          )}
          <Radio.Group label={t('role')} {...form.getInputProps('role')}>
            <Stack gap="xs" mt="xs">
              {ROLES.map((value) => (
                <Radio
                  key={value}
                  value={value}
                  label={t(`role.${value}`)}
                  description={t(`role.${value}.hint`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Text size="md">{t('changeRole.text')}</Text>
          {isUnproven && <Alert color="yellow">{t('changeRole.unverified')}</Alert>}
          <ConfirmationField kind={kind} {...form.getInputProps('secret')} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" disabled={role === account.role || isUnproven} loading={change.isPending}>
              {t('changeRole')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

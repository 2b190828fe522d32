import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { toApiError } from '../../../api/api-error';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { type Account, type Role, ROLES, useChangeRole } from '../account-queries';
import { useAdminAccountTexts } from '../texts/admin-account-texts';

const CONFLICT = 409;

export function RoleDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = useAdminAccountTexts();
  const change = useChangeRole(account.id);
  const [role, setRole] = useState(account.role);
  const confirm = () =>
    change.mutate(role, {
      onSuccess: () => {
        notifications.show({ message: t('changeRole.done') });
        onClose();
      },
    });
  const isLast = change.error && toApiError(change.error).status === CONFLICT;
  return (
    <Modal opened onClose={onClose} title={t('changeRole.title', { name: account.email })}>
      <Stack>
        {change.error && (
          <ErrorNotice error={change.error} {...(isLast && { message: t('changeRole.last') })} />
        )}
        <Radio.Group label={t('role')} value={role} onChange={(value) => setRole(value as Role)}>
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
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button disabled={role === account.role} loading={change.isPending} onClick={confirm}>
            {t('changeRole')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

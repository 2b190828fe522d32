import { Alert, Badge, Button, Code, Group, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../api/account';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { FormDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { MiddleCut } from '../../components/middle-cut';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import {
  type Account,
  accountKeysQuery,
  type CustomerKey,
  type SuspensionTarget,
  useReactivate,
  useSuspend,
} from './account-queries';
import { useAdminAccountTexts } from './admin-account-texts';

const MAX_TEXT_CHARS = 1_000;

interface DialogProps {
  /** Of the account or key. */
  name: string;
  target: SuspensionTarget;
  onClose: () => void;
}

/** Asks for the reason, for colleagues, and the text for the owner. */
export function SuspendDialog({ name, target, onClose }: DialogProps) {
  const t = useAdminAccountTexts();
  const suspend = useSuspend(target);
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { reason: '', message: '' },
    validate: { reason: (value) => (value.trim() ? null : t('suspend.reason.missing')) },
  });
  const submit = ({ reason, message }: typeof form.values) => {
    setFailure(undefined);
    suspend.mutate(
      { reason: reason.trim(), message: message.trim() || null },
      {
        onSuccess: () => {
          notifications.show({ message: t('suspend.done', { name }) });
          onClose();
        },
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  const isKey = target.keyId !== undefined;
  return (
    <FormDialog
      title={t('suspend.title', { name })}
      submitText={t('suspend')}
      isDanger
      isPending={suspend.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      <Text size="md">{t(isKey ? 'suspend.key.text' : 'suspend.text')}</Text>
      <Textarea
        label={t('suspend.reason')}
        description={t('suspend.reason.hint')}
        maxLength={MAX_TEXT_CHARS}
        autosize
        minRows={2}
        required
        data-autofocus
        {...form.getInputProps('reason')}
      />
      <Textarea
        label={t('suspend.message')}
        description={t(isKey ? 'suspend.key.message.hint' : 'suspend.message.hint')}
        maxLength={MAX_TEXT_CHARS}
        autosize
        minRows={2}
        {...form.getInputProps('message')}
      />
    </FormDialog>
  );
}

export function ReactivateDialog({ name, target, onClose }: DialogProps) {
  const t = useAdminAccountTexts();
  const reactivate = useReactivate(target);
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: (value) => (value.trim() ? null : t('suspend.reason.missing')) },
  });
  const submit = ({ reason }: typeof form.values) =>
    reactivate.mutate(
      { reason: reason.trim() },
      {
        onSuccess: () => {
          notifications.show({ message: t('reactivate.done', { name }) });
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={t('reactivate.title', { name })}
      submitText={t('reactivate')}
      isPending={reactivate.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {reactivate.error && <ErrorNotice error={reactivate.error} />}
      <Text size="md">{t('reactivate.text')}</Text>
      <Textarea
        label={t('suspend.reason')}
        description={t('suspend.reason.hint')}
        maxLength={MAX_TEXT_CHARS}
        autosize
        minRows={2}
        required
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}

/** Since when and why an account is suspended. */
export function SuspensionNotice({ suspension }: Pick<Account, 'suspension'>) {
  const t = useAdminAccountTexts();
  if (!suspension) return null;
  return (
    <Alert color="red" variant="light" title={t('suspended')}>
      <Stack gap={4}>
        <Text size="md">
          {t('suspended.since')}
          <Time value={suspension.suspended_at} detail="second" />
        </Text>
        <Text size="md">{t('suspended.reason', { text: suspension.reason ?? t('none') })}</Text>
        <Text size="md">{t('suspended.message', { text: suspension.message ?? t('none') })}</Text>
      </Stack>
    </Alert>
  );
}

/** The keys of a customer, each with what suspends it. */
export function AccountKeys({ accountId }: { accountId: string }) {
  const t = useAdminAccountTexts();
  const api = useConsoleApi();
  const query = useQuery(accountKeysQuery(api, accountId));
  const [chosen, setChosen] = useState<CustomerKey>();
  const may = useMay();
  const close = () => setChosen(undefined);
  const columns: Column<CustomerKey>[] = [
    { key: 'name', title: t('keys.name'), cell: ({ name }) => <MiddleCut text={name} /> },
    { key: 'prefix', title: t('keys.prefix'), place: 'line', cell: ({ prefix }) => <Code>{prefix}…</Code> },
    { key: 'state', title: t('keys.state'), place: 'status', cell: (key) => <KeyState apiKey={key} /> },
    {
      key: 'created',
      title: t('keys.created'),
      cell: ({ created_at: at, created_by_key: managementKey }) => (
        <>
          <Time value={at} detail="day" />
          {managementKey !== null && (
            <Text size="xs" c="dimmed">
              {t('keys.madeBy', { id: managementKey })}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'used',
      title: t('keys.used'),
      cell: ({ last_used_at: at }) => (at === null ? t('keys.never') : <Time value={at} />),
    },
    {
      key: 'actions',
      title: t('keys.actions'),
      isTitleHidden: true,
      cell: (key) =>
        key.deleted_at === null &&
        may('POST /api/admin/accounts/:id/keys/:keyId/suspend') && (
          <Button
            size="xs"
            variant="default"
            onClick={() => setChosen(key)}
            aria-label={`${t(key.suspension ? 'reactivate' : 'suspend')}: ${key.name}`}
          >
            {t(key.suspension ? 'reactivate' : 'suspend')}
          </Button>
        ),
    },
  ];
  const Dialog = chosen?.suspension ? ReactivateDialog : SuspendDialog;
  return (
    <>
      <QueryState
        query={query}
        isEmpty={(keys) => keys.length === 0}
        empty={<EmptyState title={t('keys.empty.title')}>{t('keys.empty.text')}</EmptyState>}
      >
        {(keys) => (
          <Stack gap="sm">
            <Group>
              <CsvButton
                fileName="keys.csv"
                read={() =>
                  api.GET('/api/admin/accounts/{id}/keys', {
                    ...AS_CSV,
                    params: { path: { id: accountId } },
                  })
                }
              />
            </Group>
            <DataTable label={t('keys')} columns={columns} rows={keys} keyOf={({ id }) => id} />
          </Stack>
        )}
      </QueryState>
      {chosen && <Dialog name={chosen.name} target={{ accountId, keyId: chosen.id }} onClose={close} />}
    </>
  );
}

function KeyState({ apiKey: { deleted_at: deletedAt, suspension } }: { apiKey: CustomerKey }): ReactNode {
  const t = useAdminAccountTexts();
  if (deletedAt !== null) return t('keys.deleted');
  if (!suspension) return t('keys.active');
  return (
    <Stack gap={2} align="flex-start">
      <Badge color="red" variant="light" tt="none" miw="max-content">
        {t('suspended')}
      </Badge>
      <Text size="sm" c="dimmed">
        {suspension.reason}
      </Text>
    </Stack>
  );
}

import { Alert, Button, Group, PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { toApiError } from '../../api/api-error';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { FormDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { QueryState } from '../../components/query-state';
import { useAccount } from '../../api/account';
import { useSite } from '../../api/site';
import { Time } from '../../time/time';
import { SettingsPage } from './settings-page';
import { identitiesQuery, type Identity, useCredentialChange } from './settings-queries';
import { useSettingsTexts } from './settings-texts';
import { linkErrorKey } from './text-keys';

export function IdentitiesPage() {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const { oauth_providers: providers } = useSite();
  const query = useQuery(identitiesQuery(api));
  const [errorKey] = useState(() => linkErrorKey(window.location.hash));
  const [linked, setLinked] = useState<string>();
  const removal = useCredentialChange((id: string) =>
    api.DELETE('/api/auth/identities/{id}', { params: { path: { id } } }),
  );
  useEffect(() => {
    if (window.location.hash) window.history.replaceState(window.history.state, '', window.location.pathname);
  }, []);
  const isOnlyWay = removal.error && toApiError(removal.error).status === 409;
  const columns: Column<Identity>[] = [
    {
      key: 'provider',
      title: t('identities.provider'),
      cell: ({ provider, issuer }) => (
        <Text fw={500} title={issuer}>
          {provider ?? issuer}
        </Text>
      ),
    },
    { key: 'email', title: t('identities.email'), place: 'status', cell: ({ email }) => email ?? '–' },
    {
      key: 'created',
      title: t('identities.since'),
      cell: ({ created_at: at }) => <Time value={at} detail="day" />,
    },
    {
      key: 'actions',
      title: t('actions'),
      isTitleHidden: true,
      cell: ({ id, provider, issuer }) => (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={removal.isPending && removal.variables === id}
          aria-label={t('identities.removeNamed', { name: provider ?? issuer })}
          onClick={() =>
            removal.mutate(id, { onSuccess: () => notifications.show({ message: t('identities.removed') }) })
          }
        >
          {t('identities.remove')}
        </Button>
      ),
    },
  ];
  const linkButtons = (
    <Group gap="xs">
      {providers.map((name) => (
        <Button key={name} variant="default" onClick={() => setLinked(name)}>
          {t('identities.link', { name })}
        </Button>
      ))}
    </Group>
  );
  return (
    <SettingsPage part="identities" actions={query.data?.length ? linkButtons : null}>
      {errorKey && (
        <Alert color="red" role="alert">
          {t(errorKey)}
        </Alert>
      )}
      {removal.error && (
        <ErrorNotice error={removal.error} {...(isOnlyWay && { message: t('identities.onlyWay') })} />
      )}
      <QueryState
        query={query}
        isEmpty={(identities) => identities.length === 0}
        empty={
          <EmptyState title={t('identities.empty')} action={linkButtons}>
            {t(providers.length > 0 ? 'identities.emptyText' : 'identities.noProvider')}
          </EmptyState>
        }
      >
        {(identities) => (
          <DataTable label={t('identities')} columns={columns} rows={identities} keyOf={({ id }) => id} />
        )}
      </QueryState>
      {linked && <LinkDialog provider={linked} onClose={() => setLinked(undefined)} />}
    </SettingsPage>
  );
}

/** Asks for the password, and leads to the provider, which leads back to the page of identities. */
function LinkDialog({ provider, onClose }: { provider: string; onClose: () => void }) {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const { data: account } = useAccount();
  const form = useForm({ initialValues: { password: '' } });
  const link = useCredentialChange((password: string) =>
    bodyOf(
      api.POST('/api/auth/oauth/{provider}/link', {
        params: { path: { provider } },
        body: password ? { password } : {},
      }),
    ),
  );
  const submit = ({ password }: { password: string }) =>
    link.mutate(password, {
      onSuccess: ({ authorization_url: url }) => window.location.assign(url),
    });
  const hasPassword = account?.has_password !== false;
  const isRefused = link.error && toApiError(link.error).status === 403;
  return (
    <FormDialog
      title={t('identities.link', { name: provider })}
      closeOnClickOutside
      submitText={t('link.submit')}
      isPending={link.isPending || link.isSuccess}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {link.error && (
        <ErrorNotice
          error={link.error}
          {...(isRefused && { message: t(hasPassword ? 'password.wrong' : 'confirm.signInAgain') })}
        />
      )}
      <Text size="md">{t('link.text', { name: provider })}</Text>
      {hasPassword && (
        <PasswordInput
          label={t('confirm.password')}
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps('password')}
        />
      )}
    </FormDialog>
  );
}

import { Anchor, Button, Code, Group, Paper, Stack, Tabs, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { toApiError } from '../../api/api-error';
import { useMay } from '../../api/account';
import { useConsoleApi } from '../../api/console-api';
import { CopyButton } from '../../components/copy-button';
import { FormDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Fact, Facts } from '../../components/facts';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Amount } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { AdminPaymentTable } from '../admin-payments/payment-table';
import { TransactionTable } from '../wallet/transaction-table';
import {
  AdjustmentDialog,
  ConfirmationField,
  confirmationOf,
  RoleDialog,
  useConfirmationKind,
  ViewDialog,
} from './account-dialogs';
import {
  type Account,
  accountQuery,
  lastPaymentsQuery,
  lastTransactionsQuery,
  useDisableSecondFactor,
} from './account-queries';
import { AccountDocuments } from './account-documents';
import { AccountAccess, AccountNotes, AccountTimeline } from './account-history';
import { AccountLimits } from './account-limits';
import { AccountKeys, ReactivateDialog, SuspendDialog, SuspensionNotice } from './account-suspension';
import { AccountUsage } from './account-usage';
import { useAdminAccountTexts } from './admin-account-texts';

const FORBIDDEN = 403;
const TABS = ['overview', 'timeline', 'keys', 'limits', 'access', 'notes'] as const;
/** What a role has to be allowed for a tab. */
const ROUTES = {
  overview: 'GET /api/admin/accounts/:id/usage',
  timeline: 'GET /api/admin/accounts/:id/timeline',
  keys: 'GET /api/admin/accounts/:id/keys',
  limits: 'GET /api/admin/accounts/:id/limits',
  access: 'GET /api/admin/accounts/:id/sessions',
  notes: 'GET /api/admin/accounts/:id/notes',
} as const;

function SecondFactorDialog({ account, onClose }: { account: Account; onClose: () => void }) {
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
    <FormDialog
      title={t('disable.title', { name: account.email })}
      submitText={t('disable')}
      isDanger
      isPending={change.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {change.error && (
        <ErrorNotice error={change.error} {...(isRefused && { message: t(`confirm.${kind}.refused`) })} />
      )}
      <Text size="md">{t('disable.text')}</Text>
      <ConfirmationField kind={kind} {...form.getInputProps('secret')} />
    </FormDialog>
  );
}

export function AccountPage() {
  const t = useAdminAccountTexts();
  const { accountId } = useParams({ from: '/console/admin/admin/accounts/$accountId' });
  const query = useQuery(accountQuery(useConsoleApi(), accountId));
  return (
    <Page
      title={query.data?.email ?? t('account')}
      description={
        <Anchor component={Link} to="/admin/accounts" inherit>
          {t('back')}
        </Anchor>
      }
    >
      <QueryState query={query}>{(account) => <AccountContent account={account} />}</QueryState>
    </Page>
  );
}

function AccountContent({ account }: { account: Account }) {
  const t = useAdminAccountTexts();
  const [dialog, setDialog] = useState<
    'role' | 'adjustment' | 'secondFactor' | 'suspend' | 'reactivate' | 'view'
  >();
  const [tab, setTab] = useState<string | null>('overview');
  const close = () => setDialog(undefined);
  const may = useMay();
  const mayReset =
    may('POST /api/admin/accounts/:id/2fa/disable') &&
    (account.role === 'user' || may('PUT /api/admin/accounts/:id/role'));
  return (
    <Stack gap="xl">
      <Stack gap="md">
        <SuspensionNotice suspension={account.suspension} />
        <Group gap="xs">
          {may('POST /api/admin/billing/adjustments') && (
            <Button onClick={() => setDialog('adjustment')}>{t('adjust')}</Button>
          )}
          {may('POST /api/admin/accounts/:id/views') && account.role === 'user' && (
            <Button variant="default" onClick={() => setDialog('view')}>
              {t('view')}
            </Button>
          )}
          {may('PUT /api/admin/accounts/:id/role') && (
            <Button variant="default" onClick={() => setDialog('role')}>
              {t('changeRole')}
            </Button>
          )}
          {account.two_factor_enabled && mayReset && (
            <Button variant="default" onClick={() => setDialog('secondFactor')}>
              {t('disable')}
            </Button>
          )}
          {may('POST /api/admin/accounts/:id/suspend') &&
            (account.suspension !== null || account.role === 'user') && (
              <Button
                variant="default"
                onClick={() => setDialog(account.suspension ? 'reactivate' : 'suspend')}
              >
                {t(account.suspension ? 'reactivate' : 'suspend')}
              </Button>
            )}
        </Group>
        <AccountFacts account={account} />
      </Stack>
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List aria-label={t('tabs')}>
          {TABS.filter((name) => may(ROUTES[name])).map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tab.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="overview" pt="lg">
          <Stack gap="xl">
            <Stack component="section" gap="sm">
              <Title order={2}>{t('usage')}</Title>
              <AccountUsage accountId={account.id} />
            </Stack>
            <AccountPayments accountId={account.id} />
            <AccountTransactions accountId={account.id} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="timeline" pt="lg">
          <AccountTimeline accountId={account.id} />
        </Tabs.Panel>
        <Tabs.Panel value="keys" pt="lg">
          <AccountKeys accountId={account.id} />
        </Tabs.Panel>
        <Tabs.Panel value="limits" pt="lg">
          <AccountLimits accountId={account.id} />
        </Tabs.Panel>
        <Tabs.Panel value="access" pt="lg">
          <Stack gap="xl">
            <AccountAccess accountId={account.id} />
            <AccountDocuments accountId={account.id} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="notes" pt="lg">
          <AccountNotes accountId={account.id} />
        </Tabs.Panel>
      </Tabs>
      {dialog === 'adjustment' && <AdjustmentDialog account={account} onClose={close} />}
      {dialog === 'suspend' && (
        <SuspendDialog name={account.email} target={{ accountId: account.id }} onClose={close} />
      )}
      {dialog === 'reactivate' && (
        <ReactivateDialog name={account.email} target={{ accountId: account.id }} onClose={close} />
      )}
      {dialog === 'view' && <ViewDialog account={account} onClose={close} />}
      {dialog === 'role' && <RoleDialog account={account} onClose={close} />}
      {dialog === 'secondFactor' && <SecondFactorDialog account={account} onClose={close} />}
    </Stack>
  );
}

function AccountTransactions({ accountId }: { accountId: string }) {
  const t = useAdminAccountTexts();
  const query = useQuery(lastTransactionsQuery(useConsoleApi(), accountId));
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('transactions')}</Title>
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={<EmptyState title={t('transactions.empty.title')}>{t('transactions.empty.text')}</EmptyState>}
      >
        {(rows) => (
          <TransactionTable label={t('transactions')} transactions={rows} payments="/admin/payments" />
        )}
      </QueryState>
    </Stack>
  );
}

function AccountPayments({ accountId }: { accountId: string }) {
  const t = useAdminAccountTexts();
  const query = useQuery(lastPaymentsQuery(useConsoleApi(), accountId));
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between" align="baseline">
        <Title order={2}>{t('payments')}</Title>
        <Anchor component={Link} to={`/admin/payments?account=${accountId}`}>
          {t('payments.all')}
        </Anchor>
      </Group>
      <QueryState
        query={query}
        isEmpty={(payments) => payments.length === 0}
        empty={<EmptyState title={t('payments.empty.title')}>{t('payments.empty.text')}</EmptyState>}
      >
        {(payments) => <AdminPaymentTable label={t('payments')} payments={payments} hasAccount={false} />}
      </QueryState>
    </Stack>
  );
}

function AccountFacts({ account }: { account: Account }) {
  const t = useAdminAccountTexts();
  const may = useMay();
  return (
    <Paper withBorder p="lg" component="section" aria-label={t('facts')}>
      <Facts>
        <Fact name={t('balance')}>
          <Text span inherit fw={600}>
            <Amount value={account.balance} currency={account.currency} />
          </Text>
        </Fact>
        <Fact name={t('role')}>{t(`role.${account.role}`)}</Fact>
        <Fact name={t('email')}>
          {t('email.state', {
            email: account.email,
            state: t(account.email_verified ? 'email.verified' : 'email.unverified'),
          })}
        </Fact>
        <Fact name={t('phone')}>{account.phone ?? t('none')}</Fact>
        <Fact name={t('username')}>{account.username ?? t('none')}</Fact>
        <Fact name={t('secondFactor')}>
          {t(account.two_factor_enabled ? 'secondFactor.on' : 'secondFactor.off')}
        </Fact>
        <Fact name={t('created')}>
          <Time value={account.created_at} />
        </Fact>
        <Fact name={t('id')}>
          <Group gap={4} wrap="nowrap">
            <Code>{account.id}</Code>
            <CopyButton value={account.id} label={t('id.copy')} />
          </Group>
        </Fact>
      </Facts>
      <Group gap="lg" mt="md">
        <Anchor component={Link} to={`/admin/accounts/${account.id}/requests`}>
          {t('requests.every')}
        </Anchor>
        {may('GET /api/admin/events') && (
          <Anchor component={Link} to={`/admin/events?account=${account.id}`}>
            {t('events.all')}
          </Anchor>
        )}
      </Group>
    </Paper>
  );
}

import { Anchor, Button, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsoleApi } from '../../../api/console-api';
import { Page } from '../../../components/page';
import { QueryState } from '../../../components/query-state';
import { type Account, accountQuery } from '../account-queries';
import { useAdminAccountTexts } from '../texts/admin-account-texts';
import { AccountFacts } from './account-facts';
import { AccountPayments } from './account-payments';
import { AccountTransactions } from './account-transactions';
import { AccountUsage } from './account-usage';
import { AdjustmentDialog } from './adjustment-dialog';
import { RoleDialog } from './role-dialog';
import { SecondFactorDialog } from './second-factor-dialog';

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
  const [dialog, setDialog] = useState<'role' | 'adjustment' | 'secondFactor'>();
  const close = () => setDialog(undefined);
  return (
    <Stack gap="xl">
      <Stack gap="md">
        <Group gap="xs">
          <Button onClick={() => setDialog('adjustment')}>{t('adjust')}</Button>
          <Button variant="default" onClick={() => setDialog('role')}>
            {t('changeRole')}
          </Button>
          {account.two_factor_enabled && (
            <Button variant="default" onClick={() => setDialog('secondFactor')}>
              {t('disable')}
            </Button>
          )}
        </Group>
        <AccountFacts account={account} />
      </Stack>
      <Stack component="section" gap="sm">
        <Title order={2}>{t('usage')}</Title>
        <AccountUsage accountId={account.id} />
      </Stack>
      <AccountPayments accountId={account.id} />
      <AccountTransactions accountId={account.id} />
      {dialog === 'adjustment' && <AdjustmentDialog account={account} onClose={close} />}
      {dialog === 'role' && <RoleDialog account={account} onClose={close} />}
      {dialog === 'secondFactor' && <SecondFactorDialog account={account} onClose={close} />}
    </Stack>
  );
}

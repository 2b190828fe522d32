import { Button, Paper } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { useTimeZone } from '../../time/time-zone-context';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { withoutGaps } from '../usage/usage-search';
import { AccountField } from '../admin-accounts/account-link';
import { useWalletTexts } from '../wallet/wallet-texts';
import { useAdminPaymentTexts } from './admin-payment-texts';
import { AdminPaymentParts } from './payment-parts';
import { allPaymentsQuery, parametersOf } from './payment-queries';
import { type PaymentSearch, PROVIDERS, STATUSES } from './payment-search';
import { AdminPaymentTable } from './payment-table';

export function AdminPaymentsPage() {
  const api = useConsoleApi();
  const [t, walletText] = [useAdminPaymentTexts(), useWalletTexts()];
  const search = useSearch({ from: '/console/admin/admin/payments' });
  const navigate = useNavigate();
  const { timeZone } = useTimeZone();
  const query = useInfiniteQuery(allPaymentsQuery(api, search, timeZone));
  const goTo = (next: PaymentSearch) => void navigate({ to: '/admin/payments', search: next, replace: true });
  const change = (changed: { [Name in keyof PaymentSearch]?: PaymentSearch[Name] | undefined }) =>
    goTo(withoutGaps({ ...search, ...changed }));
  const isFiltered = Object.keys(search).length > 0;
  const dayField = (name: 'from' | 'to') => (
    <DayField
      label={t(name)}
      value={search[name] ?? ''}
      onChange={(day) => change({ [name]: day || undefined })}
      isClearable
    />
  );
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <CsvButton
          fileName="payments.csv"
          read={() =>
            api.GET('/api/admin/billing/payments', {
              ...AS_CSV,
              params: { query: parametersOf(search, timeZone) },
            })
          }
        />
      }
    >
      <AdminPaymentParts />
      <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
        <AccountField account={search.account} onChange={(account) => change({ account })} />
        <Choice
          label={t('status')}
          value={search.status ?? ''}
          options={[
            { value: '', label: t('all') },
            ...STATUSES.map((value) => ({ value, label: walletText(`status.${value}`) })),
          ]}
          onChoose={(value) => change({ status: value || undefined })}
        />
        <Choice
          label={t('provider')}
          value={search.provider ?? ''}
          options={[
            { value: '', label: t('all') },
            ...PROVIDERS.map((value) => ({ value, label: walletText(`provider.${value}`) })),
          ]}
          onChoose={(value) => change({ provider: value || undefined })}
        />
        {dayField('from')}
        {dayField('to')}
      </Paper>
      <QueryState
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={
          isFiltered ? (
            <EmptyState
              title={t('empty.title')}
              action={
                <Button variant="default" onClick={() => goTo({})}>
                  {t('clear')}
                </Button>
              }
            >
              {t('empty.text')}
            </EmptyState>
          ) : (
            <EmptyState title={t('none.title')}>{t('none.text')}</EmptyState>
          )
        }
      >
        {(payments) => (
          <AdminPaymentTable
            label={t('title')}
            payments={payments}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Page>
  );
}

import { Button, Group, Modal, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/account';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { PercentText, Quantity } from '../../figures/figure-text';
import { readAmount } from '../../figures/typed-amount';
import { useSite } from '../../api/site';
import { useAdminRatesTexts } from './admin-rates-texts';

type Rate = Schemas['ExchangeRateResponse'];

const RATES = ['admin-exchange-rates'];
const PAGE_RATES = 50;

const ratesQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: RATES,
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/admin/billing/exchange-rates', {
          params: { query: { limit: PAGE_RATES, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

function useStoreRate() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (rate: { date: string; usd_per_unit: Figure }) =>
      bodyOf(api.PUT('/api/admin/billing/exchange-rates', { body: { rates: [rate] } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: RATES }),
  });
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DECIMALS = 10;

const isRate = (text: string): boolean => {
  const rate = readAmount(text, DECIMALS);
  return rate !== undefined && !rate.isZero;
};

/** Asks for a rate, shows the difference, and stores it when that is confirmed. `rates`: newest day first. */
function RateDialog({ rates, onClose }: { rates: Rate[]; onClose: () => void }) {
  const t = useAdminRatesTexts();
  const store = useStoreRate();
  const [isChecked, setIsChecked] = useState(false);
  const form = useForm({
    initialValues: { date: new Date().toISOString().slice(0, 10), rate: '' },
    validate: {
      date: (date) => (DAY.test(date) ? null : t('date.invalid')),
      rate: (rate) => (isRate(rate) ? null : t('rate.invalid')),
    },
  });
  const submit = ({ date, rate }: typeof form.values) => {
    if (!isChecked) return setIsChecked(true);
    store.mutate(
      { date, usd_per_unit: readAmount(rate, DECIMALS)! },
      {
        onSuccess: () => {
          notifications.show({ message: t('stored', { date }) });
          onClose();
        },
      },
    );
  };
  const { date, rate } = form.values;
  return (
    <Modal opened onClose={onClose} title={t('set')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {store.error && <ErrorNotice error={store.error} />}
          {isChecked ? (
            <>
              <Text>{t('confirm.text', { date })}</Text>
              <RateDifference
                before={rates.find((one) => one.date <= date)?.usd_per_unit}
                after={readAmount(rate, DECIMALS)!}
              />
            </>
          ) : (
            <>
              <DayField
                label={t('date')}
                description={t('date.hint')}
                required
                {...form.getInputProps('date')}
              />
              <TextInput
                label={t('rate')}
                description={t('rate.hint')}
                inputMode="decimal"
                required
                data-autofocus
                {...form.getInputProps('rate')}
              />
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={isChecked ? () => setIsChecked(false) : onClose}>
              {isChecked ? t('back') : t('cancel')}
            </Button>
            <Button type="submit" loading={store.isPending}>
              {isChecked ? t('confirm') : t('check')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Old and new rate, and the change in percent. */
function RateDifference({ before, after }: { before: Figure | undefined; after: Figure }) {
  return (
    <Text fw={500}>
      {before ? <Quantity value={before} /> : '–'} → <Quantity value={after} />{' '}
      <PercentText before={before} after={after} />
    </Text>
  );
}

export function AdminRatesPage() {
  const t = useAdminRatesTexts();
  const { currency } = useSite();
  return (
    <Page title={t('title')} description={t('description')}>
      {currency === 'USD' ? <EmptyState title={t('usd.title')}>{t('usd.text')}</EmptyState> : <Rates />}
    </Page>
  );
}

function Rates() {
  const t = useAdminRatesTexts();
  const query = useInfiniteQuery(ratesQuery(useConsoleApi()));
  const [isSetting, setIsSetting] = useState(false);
  const rates = query.data?.pages.flatMap((page) => page.rates) ?? [];
  const current = query.data?.pages[0]?.current;
  const maySet = useMay()('PUT /api/admin/billing/exchange-rates');
  const setButton = maySet && (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsSetting(true)}>
      {t('set')}
    </Button>
  );
  const columns: Column<Rate & { before: Rate | undefined }>[] = [
    { key: 'date', title: t('column.date'), cell: ({ date }) => date },
    {
      key: 'rate',
      title: t('column.rate'),
      place: 'figure',
      isNumber: true,
      cell: ({ usd_per_unit: rate }) => <Quantity value={rate} />,
    },
    {
      key: 'change',
      title: t('column.change'),
      isNumber: true,
      cell: ({ before, usd_per_unit: rate }) => <PercentText before={before?.usd_per_unit} after={rate} />,
    },
  ];
  return (
    <>
      <QueryState
        query={query}
        isEmpty={() => rates.length === 0}
        empty={
          <EmptyState title={t('empty.title')} action={setButton}>
            {t('empty.text')}
          </EmptyState>
        }
      >
        {() => (
          <Stack gap="lg">
            <Paper withBorder p="lg" component="section" aria-label={t('current')}>
              <Group justify="space-between">
                <Stack gap={4}>
                  <Text c="dimmed">{t('current')}</Text>
                  {current ? (
                    <>
                      <Title order={2}>
                        ¥1 = $<Quantity value={current.usd_per_unit} />
                      </Title>
                      <Text c="dimmed">{t('current.since', { date: current.date })}</Text>
                    </>
                  ) : (
                    <Text>{t('current.none')}</Text>
                  )}
                </Stack>
                {setButton}
              </Group>
            </Paper>
            <DataTable
              label={t('title')}
              columns={columns}
              rows={rates.map((rate, index) => ({ ...rate, before: rates[index + 1] }))}
              keyOf={({ date }) => date}
              onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              isLoadingMore={query.isFetchingNextPage}
            />
          </Stack>
        )}
      </QueryState>
      {isSetting && <RateDialog rates={rates} onClose={() => setIsSetting(false)} />}
    </>
  );
}

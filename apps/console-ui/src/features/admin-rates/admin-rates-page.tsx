import { Button, Group, Modal, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/account';
import { toApiError } from '../../api/api-error';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
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
import { type ChineseTexts, defineTexts } from '../../language/define-texts';

const en = {
  title: 'Exchange rates',
  description:
    'Cost reports are in USD. Each rate applies from its day (UTC) until the next day with a rate.',
  'usd.title': 'No exchange rates needed',
  'usd.text': 'This site charges in USD, the currency of cost reports.',
  'empty.title': 'No rate yet',
  'empty.text': 'Without a rate, calls to models are refused. Set today’s rate.',
  current: 'Today’s rate',
  'current.since': 'Since {{date}} (UTC)',
  'current.none': 'There is no rate for today: calls to models are refused.',
  'column.date': 'From (UTC)',
  'column.rate': 'USD per CNY',
  'column.change': 'Change',
  set: 'Set a rate',
  date: 'First day',
  'date.hint': 'The rate applies from this day on (UTC).',
  'date.invalid': 'Enter a day.',
  rate: 'USD per CNY',
  'rate.hint': 'For example 0.1389; up to 10 decimals.',
  'rate.invalid': 'Enter a number above zero with a decimal point, such as 0.1385, and at most 10 decimals.',
  check: 'Review',
  'confirm.text': 'USD per CNY from {{date}} on:',
  confirm: 'Set this rate',
  back: 'Back',
  cancel: 'Cancel',
  stored: 'Rate for {{date}} set.',
  conflict: 'Somebody else has set rates meanwhile. Compare again before you set this one.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '汇率',
  description: '成本报表以美元计。每个汇率自当日（UTC）起生效，直到下一个设有汇率的日期。',
  'usd.title': '本站点无需汇率',
  'usd.text': '本站点的货币为美元，与成本报表一致。',
  'empty.title': '尚未设置汇率',
  'empty.text': '没有汇率时，模型调用将被拒绝。请设置今天的汇率。',
  current: '今日汇率',
  'current.since': '自 {{date}}（UTC）起生效',
  'current.none': '今天没有生效的汇率，模型调用将被拒绝。',
  'column.date': '生效日期（UTC）',
  'column.rate': '1 元人民币兑美元',
  'column.change': '变化',
  set: '设置汇率',
  date: '生效日期',
  'date.hint': '汇率自该日（UTC）起生效。',
  'date.invalid': '请选择日期。',
  rate: '1 元人民币兑美元',
  'rate.hint': '例如 0.1389，最多 10 位小数。',
  'rate.invalid': '请输入大于零的数，小数点使用“.”，例如 0.1385，最多 10 位小数。',
  check: '查看变化',
  'confirm.text': '自 {{date}} 起，1 元人民币兑美元：',
  confirm: '确认设置',
  back: '返回',
  cancel: '取消',
  stored: '{{date}} 的汇率已设置。',
  conflict: '其他管理员刚刚设置了汇率。请重新比较后再设置。',
};

const useAdminRatesTexts = defineTexts('admin-rates', en, zh);

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

/** Refuses with 409 if others were stored meanwhile, which are shown then. */
function useStoreRate(version: string | undefined) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (rate: { date: string; usd_per_unit: Figure }) =>
      bodyOf(
        api.PUT('/api/admin/billing/exchange-rates', {
          params: { query: version === undefined ? {} : { version } },
          body: { rates: [rate] },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: RATES }),
  });
}

const CONFLICT = 409;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DECIMALS = 10;

const isRate = (text: string): boolean => {
  const rate = readAmount(text, DECIMALS);
  return rate !== undefined && !rate.isZero;
};

interface RateDialogProps {
  /** Newest day first. */
  rates: Rate[];
  /** Of the rates. */
  version: string | undefined;
  onClose: () => void;
}

/** Asks for a rate, shows the difference, and stores it when that is confirmed. */
function RateDialog({ rates, version, onClose }: RateDialogProps) {
  const t = useAdminRatesTexts();
  const store = useStoreRate(version);
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
          {store.error && (
            <ErrorNotice
              error={store.error}
              {...(toApiError(store.error).status === CONFLICT && { message: t('conflict') })}
            />
          )}
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
  const api = useConsoleApi();
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        currency !== 'USD' && (
          <CsvButton
            fileName="exchange-rates.csv"
            read={() => api.GET('/api/admin/billing/exchange-rates', AS_CSV)}
          />
        )
      }
    >
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
      {isSetting && (
        <RateDialog
          rates={rates}
          version={query.data?.pages[0]?.version}
          onClose={() => setIsSetting(false)}
        />
      )}
    </>
  );
}

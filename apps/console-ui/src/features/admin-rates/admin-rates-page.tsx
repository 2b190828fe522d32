import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { PercentText } from '../../figures/percent-text';
import { Quantity } from '../../figures/quantity';
import { useSite } from '../../site/site';
import { RateDialog } from './rate-dialog';
import { type Rate, ratesQuery } from './rate-queries';
import { useAdminRatesTexts } from './texts/admin-rates-texts';

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
  const setButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsSetting(true)}>
      {t('set')}
    </Button>
  );
  const columns: Column<Rate & { before: Rate | undefined }>[] = [
    { key: 'date', title: t('column.date'), cell: ({ date }) => date },
    {
      key: 'rate',
      title: t('column.rate'),
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

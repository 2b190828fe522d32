import { Group, Paper, Progress, Select, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { fileLoader } from '../../components/lazy-file';
import { MiddleCut } from '../../components/middle-cut';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { Quantity } from '../../figures/figure-text';
import { formatNumber } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import { formatDay } from '../../time/calendar-day';
import {
  type History,
  type HistoryLine,
  type LimitSummary,
  mostUsed,
  pointsOf,
  shareOf,
  summariesOf,
} from './limit-summaries';
import { useLimitTexts } from './limit-texts';

const LimitChart = lazy(fileLoader(() => import('./limit-chart')));
const CHART_PIXELS = 240;
/** Of a limit: so much may soon be all of it. */
const NEARLY_ALL_PERCENT = 90;

type Place = Pick<HistoryLine, 'scope' | 'model' | 'api_key_id'>;

/** Names what a limit is of. */
export function usePlaceName(keyName?: (id: string) => string | undefined): (place: Place) => string {
  const t = useLimitTexts();
  return ({ scope, model, api_key_id: id }) => {
    if (scope === 'key') return t('for.key', { name: keyName?.(id ?? '') ?? id ?? '' });
    return model === '*' ? t('for.others') : t('for.model', { model: model ?? '' });
  };
}

/** Shows how much of a limit is used. */
export function ShareBar({ used, limit, label }: { used: Figure; limit: Figure; label: string }) {
  const share = shareOf({ used, limit });
  return (
    <Progress
      value={share}
      miw="6rem"
      color={share >= NEARLY_ALL_PERCENT ? 'orange' : undefined}
      aria-label={label}
    />
  );
}

interface Props {
  query: UseQueryResult<History>;
  /** Of a key; without it keys are told by their ids. */
  keyName?: (id: string) => string | undefined;
}

/** What was used of limits on each of the last days. */
export function LimitHistory({ query, keyName }: Props) {
  const t = useLimitTexts();
  return (
    <Stack component="section" gap="sm" mt="lg">
      <Title order={2}>{t('history')}</Title>
      <Text c="dimmed">{t('history.text')}</Text>
      <QueryState query={query}>
        {(history) =>
          history.limits.length === 0 ? (
            <Text>{t('history.empty')}</Text>
          ) : (
            <UsedLimits history={history} {...(keyName && { keyName })} />
          )
        }
      </QueryState>
    </Stack>
  );
}

function UsedLimits({ history, keyName }: Pick<Props, 'keyName'> & { history: History }) {
  const t = useLimitTexts();
  const { language } = useLanguage();
  const [chosen, setChosen] = useState<string>();
  const placeName = usePlaceName(keyName);
  const summaries = summariesOf(history);
  const nameOf = ({ line }: LimitSummary) =>
    t('name.of', { place: placeName(line), name: t(`name.${line.name}`) });
  const shown = summaries.find(({ id }) => id === chosen) ?? mostUsed(summaries)!;
  const columns: Column<LimitSummary>[] = [
    { key: 'for', title: t('column.for'), cell: ({ line }) => <MiddleCut text={placeName(line)} /> },
    { key: 'limit', title: t('history.limit'), place: 'line', cell: ({ line }) => t(`name.${line.name}`) },
    {
      key: 'highest',
      title: t('column.highest'),
      place: 'line',
      cell: (summary) => (
        <Stack gap={4}>
          {t('highest.of', {
            used: formatNumber(summary.fullest.used, language),
            limit: formatNumber(summary.fullest.limit, language),
          })}
          <ShareBar {...summary.fullest} label={`${nameOf(summary)}: ${t('column.highest')}`} />
        </Stack>
      ),
    },
    { key: 'day', title: t('column.day'), cell: ({ fullest }) => formatDay(fullest.day, language) },
    {
      key: 'refused',
      title: t('column.refused'),
      isNumber: true,
      place: 'line',
      cell: ({ refusals }) => <Quantity value={refusals} />,
    },
  ];
  return (
    <Stack>
      <Paper withBorder p="md">
        <Stack>
          <Group>
            <Select
              label={t('history.limit')}
              data={summaries.map((summary) => ({ value: summary.id, label: nameOf(summary) }))}
              value={shown.id}
              onChange={(id) => id !== null && setChosen(id)}
              allowDeselect={false}
              flex={1}
              maw="32rem"
            />
          </Group>
          <Suspense fallback={<Skeleton height={CHART_PIXELS} aria-label={t('history.chart.loading')} />}>
            <LimitChart
              points={pointsOf(shown.line, history)}
              height={CHART_PIXELS}
              label={t('history.chart', { name: nameOf(shown) })}
              names={{
                used: t('column.highest'),
                limit: t('history.limit'),
                refusals: t('column.refused'),
              }}
            />
          </Suspense>
        </Stack>
      </Paper>
      <DataTable label={t('history')} columns={columns} rows={summaries} keyOf={({ id }) => id} />
    </Stack>
  );
}

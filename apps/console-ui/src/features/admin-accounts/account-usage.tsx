import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { DayField } from '../../components/day-field';
import { EmptyState } from '../../components/empty-state';
import { QueryState } from '../../components/query-state';
import { dayOf, daysBetween } from '../../time/calendar-day';
import { useTimeZone } from '../../time/time-zone-context';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { UsageReportView } from '../usage/usage-report-view';
import { periodOf } from '../usage/usage-period';
import { DIMENSIONS, RANGES, type UsageSearch, withoutGaps } from '../usage/usage-search';
import { useUsageTexts } from '../usage/usage-texts';
import { accountUsageQuery } from './account-queries';
import { useAdminAccountTexts } from './admin-account-texts';

const SKELETON_PIXELS = 520;
const ROUTE = '/console/admin/admin/accounts/$accountId';

/** The usage of the account, by day or month, with the figures that its owner sees. */
export function AccountUsage({ accountId }: { accountId: string }) {
  const [t, usageText] = [useAdminAccountTexts(), useUsageTexts()];
  const search = useSearch({ from: ROUTE });
  const navigate = useNavigate();
  const { timeZone: ownZone } = useTimeZone();
  const { range = '30d', group: dimension = 'model', zone: timeZone = ownZone } = search;
  const { model, key: apiKeyId, entrypoint } = search;
  const bucket = search.bucket === 'month' ? 'month' : 'day';
  const period = periodOf(search, dayOf(new Date(), timeZone));
  const isInOrder = daysBetween(period.first, period.last).length > 0;
  const question = { ...period, timeZone, bucket, dimension, model, apiKeyId, entrypoint } as const;
  const query = useQuery({
    ...accountUsageQuery(useConsoleApi(), accountId, question),
    enabled: isInOrder,
  });
  const change = (changed: { [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }) =>
    void navigate({
      from: '/admin/accounts/$accountId',
      search: withoutGaps({ ...search, ...changed }),
      replace: true,
      resetScroll: false,
    });
  const dayField = (name: 'from' | 'to', value: string) => (
    <DayField
      label={usageText(name)}
      value={value}
      // An emptied field keeps the day that it had.
      onChange={(day) => day && change({ [name]: day })}
    />
  );
  const limits = [model, apiKeyId, entrypoint].filter((value) => value !== undefined);
  const showAll = () => change({ model: undefined, key: undefined, entrypoint: undefined });
  return (
    <Stack gap="md">
      <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('usage')}>
        <Choice
          label={usageText('range')}
          value={range}
          options={RANGES.map((value) => ({ value, label: usageText(`range.${value}`) }))}
          onChoose={(value) =>
            change({
              range: value,
              from: value === 'custom' ? period.first : undefined,
              to: value === 'custom' ? period.last : undefined,
            })
          }
        />
        {range === 'custom' && dayField('from', period.first)}
        {range === 'custom' && dayField('to', period.last)}
        <Choice
          label={usageText('bucket')}
          value={bucket}
          options={(['day', 'month'] as const).map((value) => ({
            value,
            label: usageText(`bucket.${value}`),
          }))}
          onChoose={(value) => change({ bucket: value })}
        />
        <Choice
          label={usageText('group')}
          value={dimension}
          options={DIMENSIONS.map((value) => ({ value, label: usageText(`group.${value}`) }))}
          onChoose={(value) => change({ group: value })}
        />
      </Paper>
      {limits.length > 0 && (
        <Group gap="sm">
          <Text size="md">{t('usage.limited', { what: limits.join(', ') })}</Text>
          <Button variant="default" size="xs" onClick={showAll}>
            {t('usage.all')}
          </Button>
        </Group>
      )}
      {isInOrder ? (
        <QueryState
          query={query}
          skeleton={<Skeleton height={SKELETON_PIXELS} />}
          isEmpty={({ rows }) => rows.length === 0}
          empty={<EmptyState title={t('usage.empty.title')}>{t('usage.empty.text')}</EmptyState>}
        >
          {(answer) => (
            <UsageReportView
              {...answer}
              callsPage={`/admin/accounts/${accountId}/requests`}
              onDrill={({ id }) => change({ [dimension === 'api_key' ? 'key' : dimension]: id })}
            />
          )}
        </QueryState>
      ) : (
        <EmptyState title={usageText('order.title')}>{usageText('order.text')}</EmptyState>
      )}
    </Stack>
  );
}

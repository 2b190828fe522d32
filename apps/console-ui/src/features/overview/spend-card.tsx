import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { QueryState } from '../../components/query-state';
import { Amount } from '../../figures/amount';
import { Figure } from '../../figures/figure';
import { useSite } from '../../site/site';
import { dayOf } from '../../time/calendar-day';
import { useTimeZone } from '../../time/time-zone-context';
import { bucketsOf, reportOf } from '../usage/report/usage-report';
import { usageQuery } from '../usage/usage-queries';
import { periodOf } from '../usage/usage-search';
import { CardSkeleton } from './card-skeleton';
import { SpendBars } from './spend-bars';
import { useOverviewTexts } from './texts/overview-texts';

/** The cost of the last 30 days, today included. */
export function SpendCard() {
  const t = useOverviewTexts();
  const site = useSite();
  const { timeZone } = useTimeZone();
  const period = periodOf({}, dayOf(new Date(), timeZone));
  const question = { ...period, timeZone, bucket: 'day', dimension: 'model' } as const;
  const query = useQuery(usageQuery(useConsoleApi(), question));
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2}>{t('spend')}</Title>
          <Anchor component={Link} to="/usage" size="md">
            {t('spend.details')}
          </Anchor>
        </Group>
        <QueryState query={query} skeleton={<CardSkeleton />}>
          {({ rows }) => {
            const report = reportOf(rows, question);
            const days = bucketsOf(report, 'day', period).map((day) => ({
              day,
              cost: Figure.sum(report.entries.filter(({ bucket }) => bucket === day).map(({ cost }) => cost)),
            }));
            const currency = report.currency ?? site.currency;
            return (
              <>
                <Text fz="1.75rem" lh={1.3} fw={600}>
                  <Amount value={report.total.cost} currency={currency} />
                </Text>
                <SpendBars days={days} currency={currency} />
              </>
            );
          }}
        </QueryState>
      </Stack>
    </Paper>
  );
}

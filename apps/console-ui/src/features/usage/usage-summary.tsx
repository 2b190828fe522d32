import { Anchor, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Figure } from '../../figures/figure';
import { Amount, PercentText, Quantity } from '../../figures/figure-text';
import { type Currency } from '../../figures/format-figure';
import { type RequestSearch } from './request-search';
import classes from './summary.module.css';
import { boundsOf, callCountsQuery, costBeforeQuery, type UsageQuestion } from './usage-queries';
import { type PeriodBefore } from './usage-period';
import { withoutGaps } from './usage-search';
import { useUsageTexts } from './usage-texts';

interface Props {
  question: UsageQuestion;
  before: PeriodBefore;
  /** Undefined until it is known, and where there is no usage. */
  cost: { value: Figure; currency: Currency } | undefined;
}

/** What the period cost and how many calls it had, each beside the period before. */
export function UsageSummary({ question, before, cost }: Props) {
  const t = useUsageTexts();
  const api = useConsoleApi();
  const counts = useQuery(callCountsQuery(api, question, boundsOf(question)));
  const countsBefore = useQuery(callCountsQuery(api, question, before));
  const costBefore = useQuery(costBeforeQuery(api, question, before));
  // Nothing is counted wrongly while it loads, and the report below shows what is at fault.
  if (!counts.data) return counts.error ? null : <Skeleton height={104} />;
  const { charged, refused, failed, unserved_since: keptSince } = counts.data;
  const isKept = Date.parse(question.since ?? question.first) >= Date.parse(keptSince);
  const shownCost = cost && <Amount value={cost.value} currency={cost.currency} />;
  return (
    <Stack component="section" gap="xs" aria-label={t('summary')}>
      <div className={classes.cards}>
        {cost && (
          <Card name={t('cost')} value={shownCost}>
            <Comparison
              before={costBefore.data}
              after={cost.value}
              shown={(value) => <Amount value={value} currency={cost.currency} />}
            />
          </Card>
        )}
        <Card name={t('calls')} value={charged ? <Quantity value={charged} /> : t('calls.unknown')}>
          <Comparison
            before={countsBefore.data?.charged ?? undefined}
            after={charged ?? undefined}
            shown={(value) => <Quantity value={value} />}
          />
        </Card>
        <Card name={t('calls.refused')} value={refused ? <Quantity value={refused} /> : t('calls.unknown')}>
          <CallsLink question={question} status="refused" />
        </Card>
        <Card name={t('calls.failed')} value={failed ? <Quantity value={failed} /> : t('calls.unknown')}>
          <CallsLink question={question} status="failed" />
        </Card>
      </div>
      {!isKept && (
        <Text size="sm" c="dimmed">
          {t('calls.kept')}
        </Text>
      )}
    </Stack>
  );
}

function Card({ name, value, children }: { name: string; value: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="lg" fw={600} className={classes.value}>
        {value}
      </Text>
      <Text size="sm" c="dimmed" component="div" className={classes.value}>
        {children}
      </Text>
    </Paper>
  );
}

/** The figure of the period before, and the change in percent where there is something to compare with. */
function Comparison({
  before,
  after,
  shown,
}: {
  before: Figure | undefined;
  after: Figure | undefined;
  shown: (value: Figure) => ReactNode;
}) {
  const t = useUsageTexts();
  if (!before || !after) return t('compare.unknown');
  if (before.isZero) return t('compare.none');
  return (
    <>
      <PercentText before={before} after={after} /> {t('compare.before')} {shown(before)}
    </>
  );
}

/** Leads to these calls in the log, which knows whole days. */
function CallsLink({ question, status }: { question: UsageQuestion; status: 'refused' | 'failed' }) {
  const t = useUsageTexts();
  const { first: from, last: to, timeZone: zone, model, apiKeyId: key, entrypoint } = question;
  const search: RequestSearch = withoutGaps({ from, to, model, key, entrypoint, status, zone });
  return (
    <Anchor inherit renderRoot={(props) => <Link {...props} to="/requests" search={search} />}>
      {t(`calls.${status}.show`)}
    </Anchor>
  );
}

import { Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleDashed, CircleX, Clock } from 'lucide-react';
import { useConsoleApi } from '../../api/console-api';
import { SupportLink } from '../../components/error-notice';
import { QueryState } from '../../components/query-state';
import { type Figure } from '../../figures/figure';
import { Amount } from '../../figures/figure-text';
import { type Currency, formatAmountAndCurrency } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import { formatTime } from '../../time/format-time';
import classes from './proof.module.css';
import { type Proof, proofQuery, proofStateOf } from './usage-queries';
import { type Period } from './usage-period';
import { useUsageTexts } from './usage-texts';

const ICONS = { agrees: CircleCheck, differs: CircleX, partly: CircleDashed, open: Clock };
const SKELETON_PIXELS = 150;

/** Whether usage, transactions and cost report of the period have the same sum, whatever the filters of the page are. */
export function ProofStrip({ period, timeZone }: { period: Period; timeZone: string }) {
  const query = useQuery(proofQuery(useConsoleApi(), period, timeZone));
  const t = useUsageTexts();
  return (
    <section aria-label={t('proof')}>
      <QueryState query={query} skeleton={<Skeleton height={SKELETON_PIXELS} />}>
        {(proof) => <Strip proof={proof} timeZone={timeZone} />}
      </QueryState>
    </section>
  );
}

function Strip({ proof, timeZone }: { proof: Proof; timeZone: string }) {
  const t = useUsageTexts();
  const { language } = useLanguage();
  const state = proofStateOf(proof);
  const Icon = ICONS[state];
  const hour = (instant: string) => formatTime(instant, { language, timeZone });
  const { from, to, router_cost_state: routerState } = proof;
  return (
    <Paper withBorder p="md" className={classes.strip} data-state={state}>
      <Stack gap="sm">
        <div className={classes.headline}>
          <Icon size={20} className={classes.mark} aria-hidden />
          <div>
            <div role="status">
              <Title order={2} fz="md">
                {t(`proof.${state}`)}
              </Title>
            </div>
            <Text size="sm" c="dimmed">
              {from !== null && to !== null && t('proof.hours', { from: hour(from), to: hour(to) })}{' '}
              {state === 'open' ? t('proof.open.text') : t('proof.all')}
            </Text>
          </div>
        </div>
        {from !== null && <Sums proof={proof} />}
        <Uncompared proof={proof} timeZone={timeZone} hour={hour} />
        {from !== null && routerState !== 'compared' && (
          <Text size="sm">{t(`proof.router.${routerState}`)}</Text>
        )}
        {state === 'differs' && (
          <Text size="sm">
            {t('proof.differs.text')} <SupportLink />
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

const MILLIS_PER_HOUR = 3_600_000;

/** What the page counts beyond the sums: the open hour, and hours of which the period has a part only. */
function Uncompared({
  proof: { to, currency, uncompared_usage: usage },
  timeZone,
  hour,
}: {
  proof: Proof;
  timeZone: string;
  hour: (instant: string) => string;
}) {
  const t = useUsageTexts();
  const { language } = useLanguage();
  if (usage.isZero) return null;
  const amount = formatAmountAndCurrency(usage, currency, language);
  // Days of other time zones begin within an hour of UTC.
  const isOpenHour =
    to !== null && Date.now() - Date.parse(to) < 2 * MILLIS_PER_HOUR && startsHours(timeZone, to);
  return (
    <Text size="sm">
      {isOpenHour ? t('proof.openHour', { amount, to: hour(to) }) : t('proof.uncompared', { amount })}
    </Text>
  );
}

/** Whether hours of the time zone begin with hours of UTC, of which the instant is one. */
const startsHours = (timeZone: string, hour: string): boolean =>
  new Intl.DateTimeFormat('en', { timeZone, minute: 'numeric' }).format(new Date(hour)) === '0';

/** At a site that does not charge in USD the report is compared with the USD values of the usage. Nothing is converted here. */
function Sums({ proof }: { proof: Proof }) {
  const t = useUsageTexts();
  const { currency, router_cost_usd: routerCost, router_cost_difference_usd: routerDifference } = proof;
  return (
    <dl className={classes.sums}>
      <Sum name={t('proof.usage')} value={proof.usage} currency={currency} />
      <Sum
        name={t('proof.transactions')}
        value={proof.transactions}
        currency={currency}
        difference={proof.transactions_difference}
      />
      {currency !== 'USD' && <Sum name={t('proof.usageUsd')} value={proof.usage_usd} currency="USD" />}
      {routerCost && (
        <Sum
          name={t('proof.routerCost')}
          value={routerCost}
          currency="USD"
          difference={routerDifference ?? undefined}
        />
      )}
    </dl>
  );
}

function Sum({
  name,
  value,
  currency,
  difference,
}: {
  name: string;
  value: Figure;
  currency: Currency;
  difference?: Figure | undefined;
}) {
  const t = useUsageTexts();
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Amount value={value} currency={currency} /> {currency}
        {difference?.isZero === false && (
          <Text size="sm" className={classes.difference}>
            {t('proof.difference')} <Amount value={difference} currency={currency} />
          </Text>
        )}
      </dd>
    </div>
  );
}

import {
  Alert,
  Anchor,
  Button,
  Group,
  Paper,
  Skeleton,
  Stack,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed, Mail } from 'lucide-react';
import { useAccount } from '../../api/account';
import { useConsoleApi } from '../../api/console-api';
import { CodeSamples } from '../../components/code-samples';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { Amount } from '../../figures/figure-text';
import { type Currency, formatAmount, formatShortAmount } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import { useSite } from '../../api/site';
import { dayOf, formatDay } from '../../time/calendar-day';
import { useTimeZone } from '../../time/time-zone-context';
import { firstCallSamples } from '../keys/first-call-samples';
import { keysQuery } from '../keys/key-queries';
import { pricingQuery } from '../pricing/pricing-queries';
import { requestsQuery } from '../requests/request-queries';
import { usageQuery } from '../usage/usage-queries';
import { bucketsOf, reportOf } from '../usage/usage-report';
import { periodOf } from '../usage/usage-period';
import { settingsQuery, transactionsQuery } from '../wallet/wallet-queries';
import { useOverviewTexts } from './overview-texts';
import classes from './overview.module.css';

const HEIGHT = 64;
const BAR = 8;
const STEP = 10;
/** Shows that a day is there. */
const LEAST_HEIGHT = 2;

interface Props {
  days: { day: string; cost: Figure }[];
  currency: Currency;
}

/** A bar for each day, and what the highest stands for. The library of the large charts would be too much for it. */
function SpendBars({ days, currency }: Props) {
  const t = useOverviewTexts();
  const { language } = useLanguage();
  const heights = days.map(({ cost }) => cost.toScreenNumber());
  const highest = Math.max(...heights) || 1;
  const highestDay = days.reduce((most, day) => (day.cost.compare(most.cost) > 0 ? day : most));
  const [first, last] = [days[0]!, days.at(-1)!].map(({ day }) => formatDay(day, language, true));
  return (
    <div>
      <svg
        role="img"
        aria-label={t('spend.chart', { first: first!, last: last! })}
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={classes.bars}
      >
        {days.map(({ day, cost }, index) => {
          const height = Math.max(LEAST_HEIGHT, (heights[index]! / highest) * HEIGHT);
          return (
            <rect
              key={day}
              x={index * STEP + (STEP - BAR) / 2}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              className={cost.isZero ? classes.nothing : classes.bar}
            />
          );
        })}
      </svg>
      <Group
        justify="space-between"
        align="flex-start"
        gap="xs"
        wrap="nowrap"
        mt={4}
        fz="sm"
        c="dimmed"
        ta="center"
      >
        <span>{first}</span>
        {!highestDay.cost.isZero && (
          <span>{t('spend.highest', { cost: formatShortAmount(highestDay.cost, currency, language) })}</span>
        )}
        <span>{last}</span>
      </Group>
    </div>
  );
}

const PAGES = { topUp: '/top-up', key: '/keys', call: undefined } as const;

/** What a new account does, with what it has done already. */
function FirstSteps({ done }: { done: ReadonlySet<StepName> }) {
  const t = useOverviewTexts();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2}>{t('steps')}</Title>
          <Text size="md" c="dimmed">
            {t('steps.done', { count: done.size })}
          </Text>
        </Group>
        <ol className={classes.steps}>
          {STEPS.map((step) => {
            const isDone = done.has(step);
            const Mark = isDone ? CircleCheck : CircleDashed;
            const page = PAGES[step];
            return (
              <li key={step} className={classes.step} data-done={isDone || undefined}>
                <Mark size={20} className={classes.mark} aria-hidden />
                <div>
                  <VisuallyHidden>{isDone ? t('step.isDone') : t('step.isOpen')}: </VisuallyHidden>
                  {page === undefined || isDone ? (
                    <Text span size="md" fw={500}>
                      {t(`step.${step}`)}
                    </Text>
                  ) : (
                    <Anchor component={Link} to={page} size="md" fw={500}>
                      {t(`step.${step}`)}
                    </Anchor>
                  )}
                  <Text size="md" c="dimmed">
                    {t(`step.${step}.text`)}
                  </Text>
                </div>
              </li>
            );
          })}
        </ol>
      </Stack>
    </Paper>
  );
}

/** Of the example in curl with its tabs, in pixels. */
const CODE_HEIGHT = 242;

export function OverviewPage() {
  const t = useOverviewTexts();
  const done = useStepsDone();
  return (
    <Page title={t('title')}>
      <EmailConfirmation />
      <div className={classes.cards}>
        <BalanceCard />
        <SpendCard />
      </div>
      {done && done.size < STEPS.length && <FirstSteps done={done} />}
      <FirstCall />
    </Page>
  );
}

/** Asks for the confirmation of the address until it is done. */
function EmailConfirmation() {
  const t = useOverviewTexts();
  const api = useConsoleApi();
  const { data: account } = useAccount();
  const order = useMutation({
    mutationFn: (email: string) => api.POST('/api/auth/email/verify', { body: { email } }),
  });
  if (!account || account.email_verified) return null;
  const { email } = account;
  return (
    <Alert variant="default" icon={<Mail size={18} />} title={t('confirm.title')}>
      <Stack gap="sm" align="flex-start">
        <Text size="md">{t('confirm.text', { email })}</Text>
        {order.error && <ErrorNotice error={order.error} />}
        <div role="status">{order.isSuccess && <Text size="md">{t('confirm.sent')}</Text>}</div>
        <Button size="xs" variant="default" loading={order.isPending} onClick={() => order.mutate(email)}>
          {t('confirm.again')}
        </Button>
      </Stack>
    </Alert>
  );
}

const CHAT_UNITS = new Set(['per_million_output_tokens', 'per_million_tokens', 'per_request']);

function FirstCall() {
  const t = useOverviewTexts();
  const { urls } = useSite();
  const { data: pricing, isPending } = useQuery(pricingQuery(useConsoleApi()));
  // A model without a price of its output does not chat.
  const model = pricing?.models.find(({ unit }) => CHAT_UNITS.has(unit))?.slug;
  if (!isPending && model === undefined) return null;
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('call')}</Title>
      <Text size="md" c="dimmed">
        {t('call.text')}
      </Text>
      {model === undefined ? (
        <Skeleton height={CODE_HEIGHT} />
      ) : (
        <CodeSamples samples={firstCallSamples(urls.gateway, model)} label={t('call.samples')} />
      )}
    </Stack>
  );
}

function BalanceCard() {
  const t = useOverviewTexts();
  const { language } = useLanguage();
  const query = useQuery(settingsQuery(useConsoleApi()));
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2}>{t('balance')}</Title>
          <Anchor component={Link} to="/transactions" size="md">
            {t('balance.details')}
          </Anchor>
        </Group>
        <QueryState query={query} skeleton={<CardSkeleton />}>
          {({ balance, currency, low_balance_threshold: threshold }) => (
            <>
              <Text fz="1.75rem" lh={1.3} fw={600}>
                <Amount value={balance} currency={currency} />
              </Text>
              <Text size="md" c="dimmed">
                {threshold === null
                  ? t('balance.noNotice')
                  : t(balance.compare(threshold) < 0 ? 'balance.low' : 'balance.notice', {
                      threshold: formatAmount(threshold, currency, language),
                    })}
              </Text>
              <Group mt="auto">
                <Button component={Link} to="/top-up">
                  {t('topUp')}
                </Button>
              </Group>
            </>
          )}
        </QueryState>
      </Stack>
    </Paper>
  );
}

/** The cost of the last 30 days, today included. */
function SpendCard() {
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

/** As high as a card of the overview with its figure. */
function CardSkeleton() {
  return (
    <Stack gap="sm" aria-busy>
      <Skeleton height={36} width="50%" />
      <Skeleton height={86} />
    </Stack>
  );
}

const STEPS = ['topUp', 'key', 'call'] as const;
type StepName = (typeof STEPS)[number];

const POLL_MILLIS = 5000;

/** The first steps that are done; undefined until it is known. A call is noticed within seconds. */
function useStepsDone(): ReadonlySet<StepName> | undefined {
  const api = useConsoleApi();
  const { data: settings } = useQuery(settingsQuery(api));
  const { data: transactions } = useInfiniteQuery(transactionsQuery(api));
  const { data: keys } = useQuery(keysQuery(api));
  const { data: log } = useInfiniteQuery({
    ...requestsQuery(api, {}, 'UTC'),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.requests.length ? false : POLL_MILLIS),
  });
  if (!settings || !transactions || !keys || !log) return undefined;
  const isDone: Record<StepName, boolean> = {
    topUp: !settings.balance.isZero || transactions.length > 0,
    key: keys.some(({ kind }) => kind === 'api'),
    call: log.requests.length > 0,
  };
  return new Set(STEPS.filter((step) => isDone[step]));
}

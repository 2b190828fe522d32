import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { CodeSamples } from '../../components/code/code-samples';
import { Page } from '../../components/page';
import { useSite } from '../../site/site';
import { firstCallSamples } from '../keys/creation/first-call-samples';
import { pricingQuery } from '../pricing/pricing-queries';
import { BalanceCard } from './balance-card';
import { FirstSteps } from './first-steps';
import classes from './overview.module.css';
import { SpendCard } from './spend-card';
import { STEPS, useStepsDone } from './steps';
import { useOverviewTexts } from './texts/overview-texts';

/** Of the example in curl with its tabs, in pixels. */
const CODE_HEIGHT = 242;

export function OverviewPage() {
  const t = useOverviewTexts();
  const done = useStepsDone();
  return (
    <Page title={t('title')}>
      <div className={classes.cards}>
        <BalanceCard />
        <SpendCard />
      </div>
      {done && done.size < STEPS.length && <FirstSteps done={done} />}
      <FirstCall />
    </Page>
  );
}

function FirstCall() {
  const t = useOverviewTexts();
  const { urls } = useSite();
  const { data: pricing, isPending } = useQuery(pricingQuery(useConsoleApi()));
  // A model without a price of its output does not chat.
  const model = pricing?.models.find(({ unit }) => unit !== 'per_million_input_tokens')?.slug;
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

import { Anchor, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { useSite } from '../../api/site';
import { CodeSamples } from '../../components/code-samples';
import { CopyButton } from '../../components/copy-button';
import { EmptyState } from '../../components/empty-state';
import { Fact, Facts } from '../../components/facts';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { firstCallSamples } from '../keys/first-call-samples';
import { UnitPrices } from '../pricing/model-price-table';
import { groupByModel, type ModelPrice, PRICE_UNITS, pricingQuery } from '../pricing/pricing-queries';
import { usePricingTexts } from '../pricing/pricing-texts';
import { ContextTokens, type ModelDetails, ModelModalities } from './model-details';
import { type Model, modelQuery } from './model-queries';
import { answersChats, playgroundOf } from './models-page';
import { useModelsTexts } from './models-texts';
import { taskSamples } from './task-samples';

/** One model for those who call it. An address of a model that can only be downloaded leads to its package. */
export function ModelPage() {
  const t = useModelsTexts();
  const { _splat: slug = '' } = useParams({ strict: false });
  const api = useConsoleApi();
  const prices = useQuery(pricingQuery(api));
  const download = useQuery(modelQuery(api, slug));
  const model = prices.data && groupByModel(prices.data.models).find((one) => one.slug === slug);
  if (prices.data && !model) {
    if (download.data) return <Navigate to="/packages/$" params={{ _splat: slug }} replace />;
    if (download.data === null)
      return (
        <Page title={slug}>
          <EmptyState
            title={t('missing.title')}
            action={
              <Button component={Link} to="/models">
                {t('all')}
              </Button>
            }
          >
            {t('missing.text')}
          </EmptyState>
        </Page>
      );
  }
  return (
    <Page
      title={slug}
      description={download.data?.description || t('description')}
      actions={model && <Actions model={model} />}
    >
      <QueryState query={model || prices.error ? prices : { ...prices, data: undefined }}>
        {({ model_details }) =>
          model && (
            <Stack gap="xl">
              <ModelFacts
                model={model}
                details={model_details.find((one) => one.slug === slug)}
                download={download.data ?? undefined}
              />
              <AsCode model={model} />
              <Anchor component={Link} to="/models" size="md">
                {t('all')}
              </Anchor>
            </Stack>
          )
        }
      </QueryState>
    </Page>
  );
}

function Actions({ model }: { model: ModelPrice }) {
  const t = useModelsTexts();
  const { features } = useSite();
  return (
    <>
      {features.playground && answersChats(model) && (
        <Button component="a" href={playgroundOf(model.slug)}>
          {t('try')}
        </Button>
      )}
      <Button component={Link} to="/keys" variant="default">
        {t('keys')}
      </Button>
    </>
  );
}

interface FactsProps {
  model: ModelPrice;
  details: ModelDetails | undefined;
  download: Model | undefined;
}

/** What is not known is left out. */
function ModelFacts({ model: { slug, rows }, details, download }: FactsProps) {
  const t = useModelsTexts();
  const priceTexts = usePricingTexts();
  const tokens = (value: ModelDetails['context_tokens'] | undefined) =>
    value && (
      <>
        <ContextTokens value={value} /> {t('tokens')}
      </>
    );
  const facts: [name: string, value: ReactNode][] = [
    [
      t('id'),
      <Group key="id" gap={4} wrap="nowrap">
        <Code>{slug}</Code>
        <CopyButton value={slug} label={t('id.copy')} />
      </Group>,
    ],
    [t('context'), tokens(details?.context_tokens)],
    [t('output'), tokens(details?.max_output_tokens)],
    [
      t('modalities'),
      (details?.input_modalities ?? details?.output_modalities) && (
        <ModelModalities key="modalities" details={details} />
      ),
    ],
    ...PRICE_UNITS.flatMap((unit) => rows.filter((row) => row.unit === unit)).map(
      (row): [string, ReactNode] => [priceTexts(`unit.${row.unit}`), <UnitPrices key={row.unit} row={row} />],
    ),
    [
      t('package'),
      download && (
        <Anchor
          key="package"
          inherit
          renderRoot={(props) => <Link {...props} to="/packages/$" params={{ _splat: slug }} />}
        >
          {t('package.link')}
        </Anchor>
      ),
    ],
  ];
  return (
    <Paper withBorder p="lg">
      <Facts>
        {facts.map(
          ([name, value]) =>
            value && (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ),
        )}
      </Facts>
    </Paper>
  );
}

function AsCode({ model }: { model: ModelPrice }) {
  const t = useModelsTexts();
  const { gateway } = useSite().urls;
  const samples = answersChats(model) ? firstCallSamples(gateway, model.slug) : taskSamples(gateway, model);
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('code')}</Title>
      <Text size="md">{t('code.text')}</Text>
      <CodeSamples label={t('code.language')} samples={samples} />
    </Stack>
  );
}

import { Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { Amount, Quantity } from '../../figures/figure-text';
import { formatAmountAndCurrency } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import classes from './calculator.module.css';
import { ModelPriceTable } from './model-price-table';
import { costOf, type GpuPrice, groupByModel, type ModelPrice, pricingQuery } from './pricing-queries';
import { usePricingTexts } from './pricing-texts';

export function PricingPage() {
  const t = usePricingTexts();
  const query = useQuery(pricingQuery(useConsoleApi()));
  return (
    <Page title={t('title')} description={t('description')}>
      <QueryState
        query={query}
        isEmpty={({ models, gpus }) => models.length + gpus.length === 0}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {({ models, gpus }) => (
          <Stack gap="xl">
            {models.length > 0 && (
              <>
                <Calculator models={groupByModel(models)} />
                <Stack component="section" gap="sm">
                  <Title order={2}>{t('models')}</Title>
                  <ModelPriceTable models={groupByModel(models)} />
                </Stack>
              </>
            )}
            {gpus.length > 0 && (
              <Stack component="section" gap="sm">
                <Title order={2}>{t('gpus')}</Title>
                <GpuPriceTable gpus={gpus} />
              </Stack>
            )}
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

function GpuPriceTable({ gpus }: { gpus: GpuPrice[] }) {
  const t = usePricingTexts();
  const columns: Column<GpuPrice>[] = [
    { key: 'name', title: t('column.gpu'), cell: ({ name }) => name },
    {
      key: 'price',
      title: t('column.hour'),
      isNumber: true,
      cell: ({ hourly_price: price, currency }) => <Amount value={price} currency={currency} />,
    },
  ];
  return <DataTable label={t('gpus')} columns={columns} rows={gpus} keyOf={({ name }) => name} />;
}

/** What a number of tokens costs, exactly. */
function Calculator({ models }: { models: ModelPrice[] }) {
  const t = usePricingTexts();
  const { language } = useLanguage();
  const [slug, setSlug] = useState(models[0]?.slug ?? '');
  const [input, setInput] = useState('1000000');
  const [output, setOutput] = useState('200000');
  const [requests, setRequests] = useState('1000');
  const model = models.find((one) => one.slug === slug) ?? models[0]!;
  const [inputTokens, outputTokens, requestCount] = [input, output, requests].map(parseCount);
  const isComplete = inputTokens && outputTokens && requestCount;
  const field = (label: string, value: string, onChange: (value: string) => void) => (
    <TextInput
      label={label}
      inputMode="numeric"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={parseCount(value) ? null : t('calculator.invalid')}
    />
  );
  return (
    <Paper component="section" withBorder p="lg">
      <Stack gap="md">
        <Title order={2}>{t('calculator')}</Title>
        <div className={classes.fields}>
          <Select
            label={t('column.model')}
            data={models.map((one) => one.slug)}
            value={model.slug}
            onChange={(value) => setSlug(value ?? model.slug)}
            allowDeselect={false}
            searchable
          />
          {field(t('calculator.input'), input, setInput)}
          {field(t('calculator.output'), output, setOutput)}
          {model.prices.per_request && field(t('calculator.requests'), requests, setRequests)}
        </div>
        <Stack component="output" gap={0} aria-live="polite">
          {isComplete && (
            <>
              <Text size="xl" fw={600} className="figure">
                {formatAmountAndCurrency(
                  costOf(model, { inputTokens, outputTokens, requests: requestCount }),
                  model.currency,
                  language,
                )}
              </Text>
              <Text size="sm" c="dimmed">
                {t('calculator.tokens')} <Quantity value={inputTokens.plus(outputTokens)} />
              </Text>
            </>
          )}
        </Stack>
      </Stack>
    </Paper>
  );
}

/** A whole number, also in groups (`1,000,000`). */
function parseCount(text: string): Figure | undefined {
  const digits = text.replace(/[\s,_]/g, '');
  return /^\d{1,18}$/.test(digits) ? Figure.of(digits) : undefined;
}

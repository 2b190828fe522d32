import { Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { Figure } from '../../../figures/figure';
import { formatExactAmount } from '../../../figures/format-figure';
import { Quantity } from '../../../figures/quantity';
import { useLanguage } from '../../../language/language-context';
import { costOf, type ModelPrice } from '../model-price';
import { usePricingTexts } from '../texts/pricing-texts';
import classes from './calculator.module.css';

/** What a number of tokens costs, exactly. */
export function Calculator({ models }: { models: ModelPrice[] }) {
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
                {formatExactAmount(
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

import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Calculator } from './calculator/calculator';
import { GpuPriceTable } from './gpu-price-table';
import { groupByModel } from './model-price';
import { ModelPriceTable } from './model-price-table';
import { pricingQuery } from './pricing-queries';
import { usePricingTexts } from './texts/pricing-texts';

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

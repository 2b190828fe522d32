import { Anchor, Button, Code, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { useSite } from '../../api/site';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { usePriceColumns } from '../pricing/model-price-table';
import { groupByModel, type ModelPrice, pricingQuery } from '../pricing/pricing-queries';
import { ContextTokens, type ModelDetails, ModelModalities } from './model-details';
import { useModelsTexts } from './models-texts';

type OfferedModel = ModelPrice & { details: ModelDetails | undefined };

/** The models that can be called through the API. */
export function ModelsPage() {
  const t = useModelsTexts();
  const query = useQuery(pricingQuery(useConsoleApi()));
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <>
          <Button component={Link} to="/pricing" variant="default">
            {t('pricing.link')}
          </Button>
          <Button component={Link} to="/packages" variant="default">
            {t('packages.link')}
          </Button>
        </>
      }
    >
      <QueryState
        query={query}
        isEmpty={({ models }) => models.length === 0}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {({ models, model_details }) => (
          <ModelTable
            models={groupByModel(models).map((model) => ({
              ...model,
              details: model_details.find(({ slug }) => slug === model.slug),
            }))}
          />
        )}
      </QueryState>
    </Page>
  );
}

/** A fact that no model has is no column. */
function ModelTable({ models }: { models: OfferedModel[] }) {
  const t = useModelsTexts();
  const { features } = useSite();
  const priceColumns = usePriceColumns(models);
  const hasContext = models.some(({ details }) => details?.context_tokens);
  const hasModalities = models.some(({ details }) => details?.input_modalities ?? details?.output_modalities);
  const columns: Column<OfferedModel>[] = [
    {
      key: 'model',
      title: t('column.model'),
      cell: ({ slug }) => (
        <Anchor inherit renderRoot={(props) => <Link {...props} to="/models/$" params={{ _splat: slug }} />}>
          <Code>{slug}</Code>
        </Anchor>
      ),
    },
    ...(hasContext
      ? [
          {
            key: 'context',
            title: t('context'),
            isNumber: true,
            place: 'line' as const,
            cell: ({ details }: OfferedModel) => <ContextTokens value={details?.context_tokens} />,
          },
        ]
      : []),
    ...(hasModalities
      ? [
          {
            key: 'modalities',
            title: t('modalities'),
            cell: ({ details }: OfferedModel) => <ModelModalities details={details} />,
          },
        ]
      : []),
    ...priceColumns,
    ...(features.playground
      ? [
          {
            key: 'try',
            title: t('try'),
            isTitleHidden: true,
            cell: (model: OfferedModel) =>
              answersChats(model) && (
                <Group gap="xs" justify="flex-end">
                  <Button
                    size="xs"
                    variant="default"
                    component="a"
                    href={playgroundOf(model.slug)}
                    aria-label={`${t('try')}: ${model.slug}`}
                  >
                    {t('try')}
                  </Button>
                </Group>
              ),
          },
        ]
      : []),
  ];
  return <DataTable label={t('title')} columns={columns} rows={models} keyOf={({ slug }) => slug} />;
}

/** A model without a price of its answers, such as one of embeddings, gives none. */
export const answersChats = ({ prices }: ModelPrice): boolean =>
  Boolean(prices.per_million_output_tokens ?? prices.per_million_tokens ?? prices.per_request);

export const playgroundOf = (slug: string): string => `/playground?model=${encodeURIComponent(slug)}`;

import { Badge, Stack, Text, Title } from '@mantine/core';
import { type Column, DataTable } from '../../components/data-table';
import { MiddleCut } from '../../components/middle-cut';
import { Quantity } from '../../figures/figure-text';
import { useServingTexts } from './admin-serving-texts';
import { type ModelFigures } from './serving-queries';

/** What the gateways see of models in the last minute. */
export function ModelFiguresTable({ figures }: { figures: ModelFigures[] }) {
  const t = useServingTexts();
  const columns: Column<ModelFigures>[] = [
    {
      key: 'model',
      title: t('model.slug'),
      cell: ({ slug }) => (
        <Text span inherit fw={500}>
          <MiddleCut text={slug} width="14rem" />
        </Text>
      ),
    },
    {
      key: 'upstreams',
      title: t('figures.upstreams'),
      place: 'status',
      cell: ({ upstreams }) =>
        upstreams.length > 0 ? (
          <MiddleCut text={upstreams.join(', ')} width="12rem" />
        ) : (
          <Badge variant="dot" color="red" tt="none" fw={500}>
            {t('figures.nobody')}
          </Badge>
        ),
    },
    {
      key: 'others',
      title: t('figures.others'),
      place: 'more',
      cell: ({ other_upstreams: others }) => <MiddleCut text={others.join(', ') || '–'} width="14rem" />,
    },
    {
      key: 'calls',
      title: t('calls'),
      isNumber: true,
      place: 'line',
      cell: ({ calls_per_minute: calls }) => <Quantity value={calls} />,
    },
    {
      key: 'failures',
      title: t('failures'),
      isNumber: true,
      place: 'line',
      cell: ({ failures_per_minute: failures }) => <Quantity value={failures} />,
    },
    {
      key: 'firstByte',
      title: t('firstByte'),
      isNumber: true,
      place: 'more',
      cell: ({ first_byte_ms: millis }) =>
        millis === null ? '–' : t('firstByte.value', { milliseconds: millis.toString() }),
    },
    {
      key: 'tokens',
      title: t('figures.tokens'),
      isNumber: true,
      place: 'more',
      cell: ({ output_tokens_per_minute: tokens }) => <Quantity value={tokens} />,
    },
  ];
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('figures.title')}</Title>
      <DataTable label={t('figures.title')} columns={columns} rows={figures} keyOf={({ slug }) => slug} />
      <Text size="sm" c="dimmed">
        {t('figures.hint')}
      </Text>
    </Stack>
  );
}

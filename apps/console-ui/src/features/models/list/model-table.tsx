import { Anchor, Code, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column } from '../../../components/table/column';
import { DataTable } from '../../../components/table/data-table';
import { Bytes } from '../../../figures/bytes';
import { Time } from '../../../time/time';
import { type Model } from '../model-queries';
import { useModelsTexts } from '../texts/models-texts';

const FACTS = ['family', 'parameters', 'quantization', 'format', 'license'] as const;

/** A fact that no model has is no column. */
export function ModelTable({ models }: { models: Model[] }) {
  const t = useModelsTexts();
  const facts = FACTS.filter((fact) => models.some((model) => model[fact] !== null));
  const columns: Column<Model>[] = [
    {
      key: 'name',
      title: t('column.model'),
      cell: ({ name, slug }) => (
        <Stack gap={2} align="flex-start">
          <Anchor
            fw={500}
            inherit
            renderRoot={(props) => <Link {...props} to="/models/$" params={{ _splat: slug }} />}
          >
            {name}
          </Anchor>
          <Code>{slug}</Code>
        </Stack>
      ),
    },
    ...facts.map((fact) => ({ key: fact, title: t(fact), cell: (model: Model) => model[fact] ?? '–' })),
    { key: 'size', title: t('size'), isNumber: true, cell: ({ size }) => <Bytes value={size} /> },
    {
      key: 'published',
      title: t('published'),
      cell: ({ published_at }) => <Time value={published_at} detail="day" />,
    },
  ];
  return <DataTable label={t('title')} columns={columns} rows={models} keyOf={({ slug }) => slug} />;
}

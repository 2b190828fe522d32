import { ActionIcon, Code, Text, Tooltip } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Amount } from '../../figures/amount';
import { useSite } from '../../site/site';
import { Time } from '../../time/time';
import { type ApiKey } from './key-queries';
import { useKeyTexts } from './texts/key-texts';

export function KeyTable({ keys, onDelete }: { keys: ApiKey[]; onDelete: (key: ApiKey) => void }) {
  const t = useKeyTexts();
  const { currency } = useSite();
  const columns: Column<ApiKey>[] = [
    {
      key: 'name',
      title: t('column.name'),
      cell: ({ name }) => (
        <Text span inherit fw={500}>
          {name}
        </Text>
      ),
    },
    { key: 'prefix', title: t('column.prefix'), cell: ({ prefix }) => <Code>{prefix}…</Code> },
    {
      key: 'limit',
      title: t('column.limit'),
      isNumber: true,
      cell: ({ spend_limit: limit }) =>
        limit ? <Amount value={limit} currency={currency} /> : <Dimmed text={t('limit.none')} />,
    },
    {
      key: 'models',
      title: t('column.models'),
      cell: ({ allowed_models: models }) =>
        models ? (
          <Text span inherit title={models.join(', ')}>
            {modelsText(models, t)}
          </Text>
        ) : (
          <Dimmed text={t('models.all')} />
        ),
    },
    {
      key: 'created',
      title: t('column.created'),
      cell: ({ created_at }) => <Time value={created_at} detail="day" />,
    },
    {
      key: 'used',
      title: t('column.used'),
      cell: ({ last_used_at }) =>
        last_used_at ? <Time value={last_used_at} /> : <Dimmed text={t('used.never')} />,
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (key) => (
        <Tooltip label={t('delete')}>
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={t('delete.named', { name: key.name })}
            onClick={() => onDelete(key)}
          >
            <Trash2 size={16} />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ];
  return <DataTable label={t('title')} columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

const Dimmed = ({ text }: { text: string }) => (
  <Text span c="dimmed" inherit>
    {text}
  </Text>
);

const modelsText = ([first = '', ...others]: string[], t: ReturnType<typeof useKeyTexts>) =>
  others.length === 0 ? first : t('models.some', { first, count: others.length });

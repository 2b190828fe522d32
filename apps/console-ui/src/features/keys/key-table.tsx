import { ActionIcon, Badge, Code, Group, Text, Tooltip } from '@mantine/core';
import { Pencil, RefreshCw, Trash2 } from 'lucide-react';
import { type Column, DataTable } from '../../components/data-table';
import { MiddleCut } from '../../components/middle-cut';
import { Amount } from '../../figures/figure-text';
import { ShortAmount } from '../../figures/short-amount';
import { useSite } from '../../api/site';
import { Time } from '../../time/time';
import { type ApiKey } from './key-queries';
import { useKeyTexts } from './key-texts';
import { makerText } from './key-view';
import classes from './keys.module.css';

interface Props {
  keys: ApiKey[];
  onEdit: (key: ApiKey) => void;
  onRotate: (key: ApiKey) => void;
  onDelete: (key: ApiKey) => void;
}

export function KeyTable({ keys, onEdit, onRotate, onDelete }: Props) {
  const t = useKeyTexts();
  const { currency } = useSite();
  const columns: Column<ApiKey>[] = [
    {
      key: 'name',
      title: t('column.name'),
      cell: (key) => (
        <>
          <Group gap="xs">
            <Text span inherit fw={500} className={classes.name!}>
              <MiddleCut text={key.name} width="11rem" />
            </Text>
            {key.suspension && (
              <Badge color="red" variant="light" tt="none" flex="none">
                {t('suspended')}
              </Badge>
            )}
            {statesOf(key).map((state) => (
              <Badge key={state} variant="default" tt="none" flex="none">
                {t(state)}
              </Badge>
            ))}
          </Group>
          {key.suspension && (
            <Text size="sm" c="dimmed" className={classes.suspension!}>
              {key.suspension.message ?? t('suspended.hint')}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'prefix',
      title: t('column.prefix'),
      place: 'status',
      cell: ({ prefix }) => <Code>{prefix}…</Code>,
    },
    {
      key: 'recent',
      title: t('column.recent'),
      isNumber: true,
      place: 'line',
      cell: ({ spent_30_days: spent }) => <ShortAmount value={spent} currency={currency} />,
    },
    {
      key: 'spent',
      title: t('column.spent'),
      isNumber: true,
      place: 'more',
      cell: ({ spent }) => <ShortAmount value={spent} currency={currency} />,
    },
    {
      key: 'limit',
      title: t('column.limit'),
      isNumber: true,
      place: 'line',
      cell: ({ spend_limit: limit, period }) =>
        limit ? (
          <>
            <Amount value={limit} currency={currency} />
            {period !== 'total' && (
              <Text size="xs" c="dimmed">
                {t(`period.${period}`)}
              </Text>
            )}
          </>
        ) : (
          <Dimmed text={t('limit.none')} />
        ),
    },
    {
      key: 'models',
      title: t('column.models'),
      cell: ({ allowed_models: models }) =>
        models ? (
          <Text span inherit title={models.join(', ')}>
            <MiddleCut text={modelsText(models, t)} width="6rem" whole={models.join(', ')} />
          </Text>
        ) : (
          <Dimmed text={t('models.all')} />
        ),
    },
    {
      key: 'created',
      title: t('column.created'),
      cell: ({ created_at, created_by }) => (
        <>
          <Time value={created_at} detail="day" />
          <Text size="xs" c="dimmed" lineClamp={1} title={created_by.name ?? undefined}>
            {t('made.cell', { maker: makerText(created_by, t) })}
          </Text>
        </>
      ),
    },
    {
      key: 'used',
      title: t('column.used'),
      cell: ({ last_used_at }) =>
        last_used_at ? <Time value={last_used_at} detail="day" /> : <Dimmed text={t('used.never')} />,
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (key) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Tooltip label={t('edit')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('edit.named', { name: key.name })}
              onClick={() => onEdit(key)}
            >
              <Pencil size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('rotate')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('rotate.named', { name: key.name })}
              onClick={() => onRotate(key)}
            >
              <RefreshCw size={16} />
            </ActionIcon>
          </Tooltip>
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
        </Group>
      ),
    },
  ];
  return <DataTable label={t('title')} columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

/** A key without a rest of its limit is refused. */
const isUsedUp = ({ spent_in_period: spent, spend_limit: limit }: ApiKey) =>
  limit !== null && spent.compare(limit) >= 0;

/** What is to be known of a key at first sight. */
const statesOf = (key: ApiKey) =>
  [
    key.kind === 'management' && ('state.management' as const),
    key.status !== 'active' && (`state.${key.status}` as const),
    isUsedUp(key) && ('limit.reached' as const),
    key.former_secret_ends_at !== null && ('state.former' as const),
    key.unused && ('state.unused' as const),
  ].filter((state) => state !== false);

const Dimmed = ({ text }: { text: string }) => (
  <Text span c="dimmed" inherit>
    {text}
  </Text>
);

const modelsText = ([first = '', ...others]: string[], t: ReturnType<typeof useKeyTexts>) =>
  others.length === 0 ? first : t('models.some', { first, count: others.length });

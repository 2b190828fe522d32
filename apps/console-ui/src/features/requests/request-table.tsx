import { Anchor, Code, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Amount } from '../../figures/amount';
import { Quantity } from '../../figures/quantity';
import { Time } from '../../time/time';
import { useEntrypointName } from '../usage/usage-names';
import { OutcomeBadge } from './outcome-badge';
import { type LoggedRequest } from './request-queries';
import { useRequestTexts } from './texts/request-texts';

interface Props {
  requests: LoggedRequest[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

export function RequestTable({ requests, onMore, isLoadingMore }: Props) {
  const t = useRequestTexts();
  const entrypointName = useEntrypointName();
  const columns: Column<LoggedRequest>[] = [
    {
      key: 'time',
      title: t('column.time'),
      cell: ({ id, created_at }) => (
        <Anchor component={Link} to={`/requests/${id}`} inherit className="figure">
          <Time value={created_at} detail="second" />
        </Anchor>
      ),
    },
    { key: 'model', title: t('column.model'), cell: ({ model }) => <Code>{model}</Code> },
    {
      key: 'key',
      title: t('column.key'),
      cell: ({ api_key: key }) => (
        <Text span inherit c={key ? undefined : 'dimmed'}>
          {key?.name ?? t('noKey')}
        </Text>
      ),
    },
    { key: 'source', title: t('column.source'), cell: ({ entrypoint }) => entrypointName(entrypoint) },
    {
      key: 'input',
      title: t('column.input'),
      isNumber: true,
      cell: ({ input_tokens: tokens }) => <Quantity value={tokens} />,
    },
    {
      key: 'output',
      title: t('column.output'),
      isNumber: true,
      cell: ({ output_tokens: tokens }) => <Quantity value={tokens} />,
    },
    {
      key: 'cost',
      title: t('column.cost'),
      isNumber: true,
      cell: ({ cost, currency }) => <Amount value={cost} currency={currency} />,
    },
    { key: 'outcome', title: t('column.outcome'), cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  ];
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={requests}
      keyOf={({ id }) => id}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}

import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Amount } from '../../figures/amount';
import { Quantity } from '../../figures/quantity';
import { useUsageTexts } from '../usage/texts/usage-texts';
import { useEntrypointName } from '../usage/usage-names';
import { type CostItem } from './cost-report-queries';
import { type ReportGroup } from './cost-report-search';
import { useCostReportTexts } from './texts/cost-report-texts';

/** The report is in USD on both sites. */
const CURRENCY = 'USD';

interface Props {
  group: ReportGroup;
  items: CostItem[];
  /** Undefined until it is known. */
  total: CostItem | undefined;
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

export function CostReportTable({ group, items, total, onMore, isLoadingMore }: Props) {
  const [t, usageText] = [useCostReportTexts(), useUsageTexts()];
  const entrypointName = useEntrypointName();
  const nameOf = ({ user, email, model, entrypoint, api_key: key }: CostItem) => {
    switch (group) {
      case 'user':
        return email === undefined ? (
          user
        ) : (
          <Anchor component={Link} to={`/admin/accounts/${user!}`} inherit>
            {email}
          </Anchor>
        );
      case 'model':
        return <span translate="no">{model}</span>;
      case 'entrypoint':
        return entrypointName(entrypoint!);
      case 'api_key':
        return key ?? usageText('filter.noKey');
    }
  };
  const columns: Column<CostItem>[] = [
    { key: 'group', title: t(`by.${group}`), cell: nameOf, footer: t('total') },
    {
      key: 'tokens',
      title: t('tokens'),
      isNumber: true,
      cell: ({ tokens }) => <Quantity value={tokens} />,
      footer: total ? <Quantity value={total.tokens} /> : '…',
    },
    {
      key: 'cost',
      title: t('cost'),
      isNumber: true,
      cell: ({ cost_usd: cost }) => <Amount value={cost} currency={CURRENCY} />,
      footer: total ? <Amount value={total.cost_usd} currency={CURRENCY} /> : '…',
    },
  ];
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={items}
      keyOf={(item) => item[group] ?? ''}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}

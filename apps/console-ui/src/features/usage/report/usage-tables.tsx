import { Anchor, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column } from '../../../components/table/column';
import { DataTable } from '../../../components/table/data-table';
import { Amount } from '../../../figures/amount';
import { type Currency } from '../../../figures/format-figure';
import { Quantity } from '../../../figures/quantity';
import { type RequestSearch } from '../../requests/request-search';
import { countOf } from '../unit-count';
import { useGroupName } from '../usage-names';
import { type Dimension } from '../usage-search';
import { useUsageTexts } from '../usage-texts';
import { type Entry, type Group, type Sums, type UsageReport } from './usage-report';

interface Props {
  report: UsageReport;
  currency: Currency;
  dimension: Dimension;
  bucketTitle: string;
  bucketName: (bucket: string) => string;
  /** Selects the calls of an entry in the request log. */
  callsOf: (entry: Entry) => RequestSearch;
  /** Limits the page to a group. */
  onDrill: (group: Group) => void;
}

/** The sums of the groups, and what they are made of. */
export function UsageTables({
  report,
  currency,
  dimension,
  bucketTitle,
  bucketName,
  callsOf,
  onDrill,
}: Props) {
  const t = useUsageTexts();
  const groupName = useGroupName();
  const sumColumns = <Row extends Sums>(): Column<Row>[] => [
    ...report.units.map((unit): Column<Row> => ({
      key: unit,
      title: t(`unit.${unit}`),
      isNumber: true,
      cell: ({ quantities: { [unit]: quantity } }) =>
        quantity ? <Quantity value={countOf(unit, quantity)} /> : '–',
      footer: <Quantity value={countOf(unit, report.total.quantities[unit]!)} />,
    })),
    {
      key: 'cost',
      title: t('cost'),
      isNumber: true,
      cell: ({ cost }) => <Amount value={cost} currency={currency} />,
      footer: <Amount value={report.total.cost} currency={currency} />,
    },
  ];
  const groupColumns: Column<Group>[] = [
    {
      key: 'group',
      title: t(`group.${dimension}`),
      cell: (group) => (
        <Anchor
          component="button"
          type="button"
          inherit
          ta="start"
          aria-label={t('drill', { name: groupName(dimension, group) })}
          onClick={() => onDrill(group)}
        >
          {groupName(dimension, group)}
        </Anchor>
      ),
      footer: t('total'),
    },
    ...sumColumns<Group>(),
  ];
  const entryColumns: Column<Entry>[] = [
    {
      key: 'bucket',
      title: bucketTitle,
      cell: ({ bucket }) => <span className="figure">{bucketName(bucket)}</span>,
      footer: t('total'),
    },
    { key: 'group', title: t(`group.${dimension}`), cell: (entry) => groupName(dimension, entry) },
    ...sumColumns<Entry>(),
    {
      key: 'why',
      title: t('why'),
      isTitleHidden: true,
      cell: (entry) => (
        <Anchor inherit renderRoot={(props) => <Link {...props} to="/requests" search={callsOf(entry)} />}>
          {t('why')}
        </Anchor>
      ),
    },
  ];
  return (
    <>
      <Stack component="section" gap="sm">
        <Title order={2}>{t('sums')}</Title>
        <DataTable label={t('sums')} columns={groupColumns} rows={report.groups} keyOf={({ id }) => id} />
      </Stack>
      <Stack component="section" gap="sm">
        <Title order={2}>{t('details')}</Title>
        <DataTable
          label={t('details')}
          columns={entryColumns}
          rows={report.entries.toReversed()}
          keyOf={({ bucket, id }) => `${bucket} ${id}`}
        />
      </Stack>
    </>
  );
}

import { Badge, Group, Text } from '@mantine/core';
import { type ReactNode } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { Amount, PercentText } from '../../figures/figure-text';
import { useSite } from '../../api/site';
import { useAdminPricingTexts } from './admin-pricing-texts';
import { useTermsText } from '../pricing/model-price-table';
import { keyOfLine, type LineChange, type PriceLine } from './price-line';

type NamedLine = Pick<PriceLine, 'name' | 'unit' | 'terms'>;

/** Name, unit and conditions of a price: `sandbox-chat · per million input tokens · flex tier`. */
export function useLineName(): (line: NamedLine) => string {
  const t = useAdminPricingTexts();
  const termsText = useTermsText();
  return ({ name, unit, terms }) =>
    [name, t(`unit.${unit}`), termsText(terms ?? {})].filter(Boolean).join(' · ');
}

export function LineName({ name, unit, terms }: NamedLine) {
  const t = useAdminPricingTexts();
  const termsText = useTermsText();
  return (
    <>
      {name && (
        <Text inherit fw={500}>
          {name}
        </Text>
      )}
      <Text inherit {...(name && { c: 'dimmed' })}>
        {t(`unit.${unit}`)}
      </Text>
      {terms && (
        <Text size="sm" c="dimmed">
          {termsText(terms)}
        </Text>
      )}
    </>
  );
}

interface Props {
  label: string;
  changes: LineChange[];
  /** Stands beside the name, such as a warning. */
  markOf?: (change: LineChange) => ReactNode;
  actionOf?: (change: LineChange) => ReactNode;
}

/** Old and new price of each line that changed. */
export function ChangeTable({ label, changes, markOf, actionOf }: Props) {
  const t = useAdminPricingTexts();
  const { currency } = useSite();
  const columns: Column<LineChange>[] = [
    {
      key: 'name',
      title: t('column.price'),
      cell: (change) => (
        <Group gap="xs" wrap="nowrap">
          <div>
            <LineName name={change.name} unit={change.unit} terms={change.terms} />
          </div>
          {markOf?.(change)}
        </Group>
      ),
    },
    {
      key: 'before',
      title: t('column.before'),
      isNumber: true,
      cell: ({ before }) => (before ? <Amount value={before} currency={currency} /> : '–'),
    },
    {
      key: 'after',
      title: t('column.after'),
      isNumber: true,
      cell: ({ after }) => (after ? <Amount value={after} currency={currency} /> : '–'),
    },
    {
      key: 'change',
      title: t('column.change'),
      isNumber: true,
      cell: (change) => <Change change={change} />,
    },
    ...(actionOf
      ? [{ key: 'actions', title: t('column.actions'), isTitleHidden: true, cell: actionOf }]
      : []),
  ];
  return <DataTable label={label} columns={columns} rows={changes} keyOf={keyOfLine} />;
}

function Change({ change: { before, after } }: { change: LineChange }) {
  const t = useAdminPricingTexts();
  if (!before) return <Mark color="teal">{t('change.added')}</Mark>;
  if (!after) return <Mark color="red">{t('change.removed')}</Mark>;
  return <PercentText before={before} after={after} />;
}

const Mark = ({ color, children }: { color: string; children: ReactNode }) => (
  <Badge miw="max-content" variant="light" color={color} tt="none">
    {children}
  </Badge>
);

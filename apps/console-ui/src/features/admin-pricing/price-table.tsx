import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { Trash2, Undo2 } from 'lucide-react';
import { AmountField } from '../../components/amount-field';
import { type Column, DataTable } from '../../components/data-table';
import { Amount } from '../../figures/figure-text';
import { useSite } from '../../api/site';
import { useAdminPricingTexts } from './admin-pricing-texts';
import classes from './admin-pricing.module.css';
import { LineName, useLineName } from './change-table';
import { type DraftLine, keyOfLine, parsePrice } from './price-line';
import { type PriceDraft } from './use-price-draft';

/** All prices of a list with a field for the new one. */
export function PriceTable({
  label,
  draft,
  canRemove,
}: {
  label: string;
  draft: PriceDraft;
  canRemove: boolean;
}) {
  const t = useAdminPricingTexts();
  const { currency } = useSite();
  const nameOf = useLineName();
  const changed = new Set(draft.changes.map(keyOfLine));
  const columns: Column<DraftLine>[] = [
    {
      key: 'name',
      title: t('column.price'),
      cell: ({ name, unit, terms }) => <LineName name={name} unit={unit} terms={terms} />,
    },
    {
      key: 'before',
      title: t('column.inForce'),
      isNumber: true,
      cell: ({ before }) => (before ? <Amount value={before} currency={currency} /> : '–'),
    },
    {
      key: 'after',
      title: t('column.after'),
      cell: (line) =>
        line.isRemoved ? (
          <Text span inherit c="dimmed">
            {t('change.removed')}
          </Text>
        ) : (
          <AmountField
            size="xs"
            className={classes.price!}
            currency={currency}
            aria-label={t('new.price', { name: nameOf(line) })}
            value={line.text}
            error={parsePrice(line.text, line.unit) ? null : t('price.invalid')}
            onChange={({ currentTarget: { value } }) => draft.setText(line, value)}
          />
        ),
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (line) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          {changed.has(keyOfLine(line)) && (
            <Tooltip label={t('undo')}>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('undo.named', { name: nameOf(line) })}
                onClick={() => draft.undo(keyOfLine(line))}
              >
                <Undo2 size={16} />
              </ActionIcon>
            </Tooltip>
          )}
          {canRemove && !line.isRemoved && (
            <Tooltip label={t('remove')}>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={t('remove.named', { name: nameOf(line) })}
                onClick={() => draft.remove(line)}
              >
                <Trash2 size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      ),
    },
  ];
  return <DataTable label={label} columns={columns} rows={draft.lines} keyOf={keyOfLine} />;
}

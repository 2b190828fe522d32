import { Table } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect } from 'react';
import { type Column } from './column';
import classes from './data-table.module.css';

/** With more rows only those in sight are in the document. */
export const MOST_PLAIN_ROWS = 200;
const ESTIMATED_ROW_PIXELS = 41;
const ROWS_BEYOND_SIGHT = 20;

interface Props<Row> {
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
}

export function PlainRows<Row>({ columns, rows, keyOf }: Props<Row>) {
  return rows.map((row) => <DataRow key={keyOf(row)} columns={columns} row={row} />);
}

/** Rows above and below the sight are one empty row as high as all of them. `onEnd`: the last row is nearly in sight. */
export function RowsInSight<Row>({
  columns,
  rows,
  keyOf,
  scrollElement,
  onEnd,
}: Props<Row> & { scrollElement: HTMLDivElement | null; onEnd: (() => void) | undefined }) {
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollElement,
    estimateSize: () => ESTIMATED_ROW_PIXELS,
    overscan: ROWS_BEYOND_SIGHT,
  });
  const items = virtualizer.getVirtualItems();
  const isAtEnd = items.at(-1)?.index === rows.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
    // `onEnd` is another function in each rendering.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isAtEnd, rows.length]);
  const above = items[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <>
      <Spacer height={above} span={columns.length} />
      {items.map(({ index }) => (
        <DataRow key={keyOf(rows[index]!)} columns={columns} row={rows[index]!} index={index} />
      ))}
      <Spacer height={below} span={columns.length} />
    </>
  );
}

function Spacer({ height, span }: { height: number; span: number }) {
  if (height === 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={span} style={{ height }} />
    </tr>
  );
}

function DataRow<Row>({ columns, row, index }: { columns: Column<Row>[]; row: Row; index?: number }) {
  return (
    // The heading is row 1.
    <Table.Tr aria-rowindex={index === undefined ? undefined : index + 2}>
      {columns.map(({ key, isNumber, cell }) => (
        <Table.Td key={key} className={classes.cell} data-number={isNumber || undefined}>
          {cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

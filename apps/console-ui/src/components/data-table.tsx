import { Button, Group, Paper, Table, VisuallyHidden } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useState } from 'react';
import { useComponentTexts } from './component-texts';
import classes from './data-table.module.css';

/** A column of a `<DataTable>`. */
export interface Column<Row> {
  /** Unique in the table. */
  key: string;
  /** Heading; for a column of buttons only for screen readers. */
  title: string;
  isTitleHidden?: boolean;
  /** Right-aligned with digits of equal width. */
  isNumber?: boolean;
  cell: (row: Row) => ReactNode;
  /** Below the last row, such as a sum. */
  footer?: ReactNode;
}

/** With more rows only those in sight are in the document. */
const MOST_PLAIN_ROWS = 200;
const ESTIMATED_ROW_PIXELS = 41;
const ROWS_BEYOND_SIGHT = 20;

interface RowsProps<Row> {
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
}

function PlainRows<Row>({ columns, rows, keyOf }: RowsProps<Row>) {
  return rows.map((row) => <DataRow key={keyOf(row)} columns={columns} row={row} />);
}

/** Rows above and below the sight are one empty row as high as all of them. `onEnd`: the last row is nearly in sight. */
function RowsInSight<Row>({
  columns,
  rows,
  keyOf,
  scrollElement,
  onEnd,
}: RowsProps<Row> & { scrollElement: HTMLDivElement | null; onEnd: (() => void) | undefined }) {
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

interface Props<Row> {
  /** What the table lists, for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  /** Loads the next page of a list with a cursor; absent at its end. */
  onMore?: (() => void) | undefined;
  isLoadingMore?: boolean;
}

/**
 * A table in a frame, which scrolls sideways on its own where it does not fit, and down if it has very many rows.
 * Further pages of a long list load by scrolling.
 */
export function DataTable<Row>({ label, columns, rows, keyOf, onMore, isLoadingMore = false }: Props<Row>) {
  const t = useComponentTexts();
  // A state, because the rows have to be rendered again when the element is there.
  const [scrollElement, setScrollElement] = useState<HTMLDivElement | null>(null);
  const isLong = rows.length > MOST_PLAIN_ROWS;
  return (
    <Paper withBorder className={classes.frame}>
      <div
        ref={setScrollElement}
        className={classes.scroll}
        data-long={isLong || undefined}
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <Table
          verticalSpacing="xs"
          horizontalSpacing="md"
          highlightOnHover
          stickyHeader={isLong}
          aria-label={label}
          // -1: more rows than are known.
          aria-rowcount={isLong ? (onMore ? -1 : rows.length + 1) : undefined}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ key, title, isNumber, isTitleHidden }) => (
                <Table.Th key={key} scope="col" className={classes.title} data-number={isNumber || undefined}>
                  {isTitleHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isLong ? (
              <RowsInSight
                columns={columns}
                rows={rows}
                keyOf={keyOf}
                scrollElement={scrollElement}
                onEnd={isLoadingMore ? undefined : onMore}
              />
            ) : (
              <PlainRows columns={columns} rows={rows} keyOf={keyOf} />
            )}
          </Table.Tbody>
          {columns.some(({ footer }) => footer !== undefined) && (
            <Table.Tfoot className={classes.footer}>
              <Table.Tr>
                {columns.map(({ key, isNumber, footer }) => (
                  <Table.Td key={key} className={classes.cell} data-number={isNumber || undefined}>
                    {footer}
                  </Table.Td>
                ))}
              </Table.Tr>
            </Table.Tfoot>
          )}
        </Table>
      </div>
      {onMore && (
        <Group justify="center" p="sm" className={classes.more}>
          <Button variant="default" size="xs" loading={isLoadingMore} onClick={onMore}>
            {t('table.more')}
          </Button>
        </Group>
      )}
    </Paper>
  );
}

import { Button, Group, Paper, Table, VisuallyHidden } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useComponentTexts } from './component-texts';
import classes from './data-table.module.css';
import { fileLoader } from './lazy-file';
import { type RowsInSightProps } from './rows-in-sight';

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

export interface RowsProps<Row> {
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
}

function PlainRows<Row>({ columns, rows, keyOf }: RowsProps<Row>) {
  return rows.map((row) => <DataRow key={keyOf(row)} columns={columns} row={row} />);
}

export function DataRow<Row>({ columns, row, index }: { columns: Column<Row>[]; row: Row; index?: number }) {
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

/** Loaded only where there are many rows. */
const RowsInSight = lazy(fileLoader(() => import('./rows-in-sight'))) as <Row>(
  props: RowsInSightProps<Row>,
) => ReactNode;

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
              // In a list that has grown so long, the place to which it was scrolled stays meanwhile.
              <Suspense
                fallback={
                  onMore && <PlainRows {...{ columns, keyOf }} rows={rows.slice(0, MOST_PLAIN_ROWS)} />
                }
              >
                <RowsInSight
                  columns={columns}
                  rows={rows}
                  keyOf={keyOf}
                  scrollElement={scrollElement}
                  onEnd={isLoadingMore ? undefined : onMore}
                />
              </Suspense>
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

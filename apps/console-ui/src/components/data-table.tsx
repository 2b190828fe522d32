import { Button, Group, Paper, Table, VisuallyHidden } from '@mantine/core';
import { lazy, type ReactNode, Suspense, type SyntheticEvent, useState } from 'react';
import {
  Cell,
  type Column,
  DataRow,
  hasFolded,
  placedColumns,
  type RowsProps,
  useTableTexts,
} from './data-row';
import classes from './data-table.module.css';
import { fileLoader } from './lazy-file';
import { type RowsInSightProps } from './rows-in-sight';

export type { Column };

/** With more rows only those in sight are in the document. */
const MOST_PLAIN_ROWS = 200;

function PlainRows<Row>({ columns, rows, keyOf }: RowsProps<Row>) {
  return rows.map((row) => <DataRow key={keyOf(row)} columns={columns} row={row} />);
}

/** A cell that is cut shows the whole to a pointer. */
function nameWholeText({ target }: SyntheticEvent) {
  const cell = (target as Element).closest<HTMLElement>('td');
  if (!cell) return;
  if (cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent;
  else cell.removeAttribute('title');
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
 * A table in a frame, which scrolls sideways on its own where it does not fit, and down if it has very many rows. On a phone each
 * row is a card. Further pages of a long list load by scrolling.
 */
export function DataTable<Row>({
  label,
  columns: given,
  rows,
  keyOf,
  onMore,
  isLoadingMore = false,
}: Props<Row>) {
  const t = useTableTexts();
  // A state, because the rows have to be rendered again when the element is there.
  const [scrollElement, setScrollElement] = useState<HTMLDivElement | null>(null);
  const columns = placedColumns(given);
  const isLong = rows.length > MOST_PLAIN_ROWS;
  return (
    <Paper withBorder className={classes.frame}>
      <div
        ref={setScrollElement}
        className={classes.scroll}
        data-long={isLong || undefined}
        data-select={columns.some(({ place }) => place === 'select') || undefined}
        data-figure={columns.some(({ place }) => place === 'figure') || undefined}
        onPointerOver={nameWholeText}
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <Table
          role="table"
          className={classes.table}
          verticalSpacing="xs"
          horizontalSpacing="md"
          highlightOnHover
          stickyHeader={isLong}
          aria-label={label}
          // -1: more rows than are known.
          aria-rowcount={isLong ? (onMore ? -1 : rows.length + 1) : undefined}
        >
          <Table.Thead role="rowgroup" className={classes.head}>
            <Table.Tr role="row">
              {columns.map(({ key, title, isNumber, isTitleHidden, place }) => (
                <Table.Th
                  key={key}
                  role="columnheader"
                  scope="col"
                  className={classes.heading}
                  data-number={isNumber || undefined}
                  data-place={place}
                >
                  {isTitleHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title}
                </Table.Th>
              ))}
              {hasFolded(columns) && (
                <Table.Th role="columnheader" className={classes.toggle}>
                  {t('details')}
                </Table.Th>
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup" className={classes.body}>
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
            <Table.Tfoot role="rowgroup" className={classes.footer}>
              <Table.Tr role="row" className={classes.row}>
                {columns.map((column) => (
                  <Cell key={column.key} column={column}>
                    {column.footer}
                  </Cell>
                ))}
              </Table.Tr>
            </Table.Tfoot>
          )}
        </Table>
      </div>
      {onMore && (
        <Group justify="center" p="sm" className={classes.more}>
          <Button variant="default" size="xs" loading={isLoadingMore} onClick={onMore}>
            {t('more')}
          </Button>
        </Group>
      )}
    </Paper>
  );
}

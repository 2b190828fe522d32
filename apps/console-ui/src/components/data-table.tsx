import { ActionIcon, Button, Group, Paper, Table, VisuallyHidden } from '@mantine/core';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { lazy, type ReactNode, type Ref, Suspense, type SyntheticEvent, useState } from 'react';
import { useComponentTexts } from './component-texts';
import classes from './data-table.module.css';
import { fileLoader } from './lazy-file';
import { type RowsInSightProps } from './rows-in-sight';

type Place = 'select' | 'title' | 'figure' | 'status' | 'actions' | 'line' | 'more';

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
  /**
   * Where it stands on a phone, which shows a row as a card: `title` and `figure` on its first line, `status` below, each without
   * heading; `line` with its heading; `more` too, behind a button. By default the first column is the title, the last one of
   * numbers the figure, one without visible heading the actions, or at the beginning a choice of the row (`select`), and others are
   * lines if there are two at most, or else `more`.
   */
  place?: Place;
  /** Below the last row, such as a sum. */
  footer?: ReactNode;
}

/** With more rows only those in sight are in the document. */
const MOST_PLAIN_ROWS = 200;

/** With more columns without a place of their own they stand behind a button. */
const MOST_PLAIN_LINES = 2;

/** A column whose place in a card is known. */
interface PlacedColumn<Row> extends Column<Row> {
  place: Place;
}

function placedColumns<Row>(columns: Column<Row>[]): PlacedColumn<Row>[] {
  const isTaken = (place: Place) => columns.some((column) => column.place === place);
  const title = isTaken('title')
    ? undefined
    : columns.find((column) => !column.place && !column.isTitleHidden);
  const figure = isTaken('figure')
    ? undefined
    : columns.findLast((column) => column.isNumber && !column.place && column !== title);
  const placeOf = (column: Column<Row>): Place | undefined => {
    if (column.place) return column.place;
    if (column === title) return 'title';
    if (column === figure) return 'figure';
    if (column.isTitleHidden) return column === columns[0] ? 'select' : 'actions';
    return undefined;
  };
  const others = columns.filter((column) => !placeOf(column));
  const isFolded = isTaken('more') || others.length > MOST_PLAIN_LINES;
  return columns.map((column) => ({ ...column, place: placeOf(column) ?? (isFolded ? 'more' : 'line') }));
}

export interface RowsProps<Row> {
  columns: PlacedColumn<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
}

function PlainRows<Row>({ columns, rows, keyOf }: RowsProps<Row>) {
  return rows.map((row) => <DataRow key={keyOf(row)} columns={columns} row={row} />);
}

interface DataRowProps<Row> {
  columns: PlacedColumn<Row>[];
  row: Row;
  /** Its number in a list of which only a part is in the document. */
  index?: number;
  ref?: Ref<HTMLTableRowElement>;
}

export function DataRow<Row>({ columns, row, index, ref }: DataRowProps<Row>) {
  const t = useComponentTexts();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Table.Tr
      ref={ref}
      role="row"
      className={classes.row}
      data-open={isOpen || undefined}
      data-index={index}
      // The heading is row 1.
      aria-rowindex={index === undefined ? undefined : index + 2}
    >
      {columns.map((column) => (
        <Cell key={column.key} column={column}>
          {column.cell(row)}
        </Cell>
      ))}
      {hasFolded(columns) && (
        <Table.Td role="cell" className={classes.toggle}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-expanded={isOpen}
            aria-label={t('table.details')}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? <ChevronUp size={16} /> : <ChevronDown size={16} />}
          </ActionIcon>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

const hasFolded = <Row,>(columns: PlacedColumn<Row>[]) => columns.some(({ place }) => place === 'more');

interface CellProps {
  column: Pick<PlacedColumn<never>, 'title' | 'place' | 'isNumber'>;
  children: ReactNode;
}

/** The roles are named, because cells that are not laid out as a table lose them. */
function Cell({ column: { title, place, isNumber }, children }: CellProps) {
  return (
    <Table.Td
      role="cell"
      className={classes.cell}
      data-number={isNumber || undefined}
      data-place={place}
      data-heading={title}
    >
      {children !== undefined && <span className={classes.value}>{children}</span>}
    </Table.Td>
  );
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
  const t = useComponentTexts();
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
                  {t('table.details')}
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
            {t('table.more')}
          </Button>
        </Group>
      )}
    </Paper>
  );
}

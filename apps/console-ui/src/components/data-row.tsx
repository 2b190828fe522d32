import { ActionIcon, Table } from '@mantine/core';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, type Ref, useState } from 'react';
import { type ChineseTexts, defineTexts } from '../language/define-texts';
import classes from './data-table.module.css';

const en = {
  more: 'Show more',
  details: 'Details',
} as const;

const zh: ChineseTexts<typeof en> = {
  more: '显示更多',
  details: '详细信息',
};

export const useTableTexts = defineTexts('data-table', en, zh);

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

/** A column whose place in a card is known. */
interface PlacedColumn<Row> extends Column<Row> {
  place: Place;
}

/** With more columns without a place of their own they stand behind a button. */
const MOST_PLAIN_LINES = 2;

export function placedColumns<Row>(columns: Column<Row>[]): PlacedColumn<Row>[] {
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

interface DataRowProps<Row> {
  columns: PlacedColumn<Row>[];
  row: Row;
  /** Its number in a list of which only a part is in the document. */
  index?: number;
  ref?: Ref<HTMLTableRowElement>;
}

export function DataRow<Row>({ columns, row, index, ref }: DataRowProps<Row>) {
  const t = useTableTexts();
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
            aria-label={t('details')}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? <ChevronUp size={16} /> : <ChevronDown size={16} />}
          </ActionIcon>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

export const hasFolded = <Row,>(columns: PlacedColumn<Row>[]) =>
  columns.some(({ place }) => place === 'more');

interface CellProps {
  column: Pick<PlacedColumn<never>, 'title' | 'place' | 'isNumber'>;
  children: ReactNode;
}

/** The roles are named, because cells that are not laid out as a table lose them. */
export function Cell({ column: { title, place, isNumber }, children }: CellProps) {
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

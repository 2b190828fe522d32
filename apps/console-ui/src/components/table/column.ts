import { type ReactNode } from 'react';

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

import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect } from 'react';
import { DataRow, type RowsProps } from './data-row';

const ESTIMATED_ROW_PIXELS = 41;
const ROWS_BEYOND_SIGHT = 20;

export interface RowsInSightProps<Row> extends RowsProps<Row> {
  scrollElement: HTMLDivElement | null;
  /** The last row is nearly in sight. */
  onEnd: (() => void) | undefined;
}

/** Rows above and below the sight are one empty row as high as all of them. */
export default function RowsInSight<Row>({
  columns,
  rows,
  keyOf,
  scrollElement,
  onEnd,
}: RowsInSightProps<Row>) {
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
        <DataRow
          key={keyOf(rows[index]!)}
          ref={virtualizer.measureElement}
          columns={columns}
          row={rows[index]!}
          index={index}
        />
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

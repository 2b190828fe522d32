/** What the address says of a list. Absent: all of it, in its first order, from the beginning. */
export interface ListView<Order extends string> {
  q?: string;
  sort?: Order;
  page?: number;
}

/** Reads a view from the query of an address, whatever somebody wrote there. */
export const listViewIn =
  <Order extends string>(orders: readonly Order[]) =>
  ({ q, sort, page }: Record<string, unknown>): ListView<Order> => {
    const order = orders.find((one) => one === sort);
    // The router reads digits as a number.
    const text = typeof q === 'number' ? String(q) : q;
    return {
      ...(typeof text === 'string' && text.trim() !== '' && { q: text }),
      ...(order !== undefined && order !== orders[0] && { sort: order }),
      ...(Number.isSafeInteger(page) && (page as number) > 1 && { page: page as number }),
    };
  };

/** Rows of one page of a list that is held whole. */
export const PAGE_ROWS = 25;

/** A page that exists: a link may name one that was there before rows were deleted. */
export const existingPage = (page: number, rows: number) =>
  Math.min(page, Math.max(1, Math.ceil(rows / PAGE_ROWS)));

export function rowsOfPage<Row>(rows: Row[], page = 1): Row[] {
  const end = existingPage(page, rows.length) * PAGE_ROWS;
  return rows.slice(end - PAGE_ROWS, end);
}

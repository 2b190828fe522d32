import { listViewIn, PAGE_ROWS, rowsOfPage } from './list-view';

const viewIn = listViewIn(['newest', 'name']);

it('reads a view, and nothing from what somebody wrote into an address', () => {
  expect(viewIn({ q: 'a', sort: 'name', page: 2 })).toEqual({ q: 'a', sort: 'name', page: 2 });
  expect(viewIn({ q: 7 })).toEqual({ q: '7' });
  expect(viewIn({ q: ['a'], sort: 'newest', page: 1 })).toEqual({});
  expect(viewIn({ q: '', sort: 'constructor', page: '2' })).toEqual({});
});

it('cuts a list into pages, the last one for a page that does not exist', () => {
  const rows = Array.from({ length: PAGE_ROWS + 2 }, (_, row) => row);
  expect(rowsOfPage(rows)).toEqual(rows.slice(0, PAGE_ROWS));
  expect(rowsOfPage(rows, 2)).toEqual([PAGE_ROWS, PAGE_ROWS + 1]);
  expect(rowsOfPage(rows, 900)).toEqual([PAGE_ROWS, PAGE_ROWS + 1]);
  expect(rowsOfPage([], 1)).toEqual([]);
});

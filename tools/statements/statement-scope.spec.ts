import { scopeOf } from './statement-scope.mjs';

const table = (
  accountColumns: string[],
  uniqueKeys: string[][],
  parentColumns: string[],
  columns: string[],
) => ({
  columns: new Set([...accountColumns, ...uniqueKeys.flat(), ...parentColumns, ...columns]),
  accountColumns: new Set(accountColumns),
  uniqueKeys,
  parentColumns: new Set(parentColumns),
});
const TABLES = new Map([
  ['shop.orders', table(['account_id'], [['id'], ['shop', 'number']], [], ['at', 'total'])],
  ['shop.items', table([], [['order_id', 'n']], ['order_id'], ['name'])],
]);
const crossed = async (text: string, nulls: number[] = []) => (await scopeOf(text, TABLES, nulls)).crossed;

it.each([
  ['by its account', 'SELECT * FROM shop.orders WHERE account_id = $1 AND at > $2'],
  ['by its account in a subquery', 'SELECT * FROM shop.orders o WHERE o.account_id = (SELECT $1::text)'],
  ['by a unique key', 'UPDATE shop.orders SET total = 0 WHERE id = $1'],
  ['by a unique key of two columns', "DELETE FROM shop.orders WHERE (shop, number) = ('a', $1)"],
  ['by a list of one value', 'SELECT * FROM shop.orders WHERE id IN ($1)'],
  ['by the row to which it belongs', 'SELECT * FROM shop.items WHERE order_id = $1 AND name = $2'],
  [
    'by a join with a bound row',
    'SELECT * FROM shop.items i JOIN shop.orders o ON o.id = i.order_id WHERE o.account_id = $1',
  ],
  [
    'by a join with columns of one name',
    'SELECT * FROM shop.orders a JOIN shop.orders b USING (account_id) WHERE a.id = $1',
  ],
  [
    'by an expression of a bound row',
    "SELECT * FROM shop.orders o JOIN shop.items i ON i.order_id = 'o' || o.id WHERE o.id = $1",
  ],
  [
    'by an outer row',
    'SELECT (SELECT count(*) FROM shop.items i WHERE i.order_id = o.id) FROM shop.orders o WHERE o.id = $1',
  ],
  [
    'by rows of another part',
    'WITH one AS (SELECT id FROM shop.orders WHERE id = $1) DELETE FROM shop.items i USING one WHERE i.order_id = one.id',
  ],
  [
    'by bounds that leave one account',
    'SELECT * FROM shop.orders WHERE account_id >= $1 AND (account_id, at) <= ($1, $2)',
  ],
  [
    'by an outer join, on the side that may be missing',
    'SELECT * FROM shop.orders o LEFT JOIN shop.items i ON i.order_id = o.id WHERE o.id = $1',
  ],
  ['as a new row', 'INSERT INTO shop.orders (id, account_id) VALUES ($1, $2)'],
  ['by nothing in a table of no account', 'SELECT * FROM shop.prices'],
])('finds a statement bound %s', async (_how, text) => {
  expect(await crossed(text)).toEqual([]);
});

it.each([
  ['without a condition', 'SELECT sum(total) FROM shop.orders', ['shop.orders']],
  ['by a time', 'DELETE FROM shop.orders WHERE at < $1', ['shop.orders']],
  ['by a part of a unique key', 'SELECT * FROM shop.orders WHERE number = $1', ['shop.orders']],
  ['by several accounts', 'SELECT * FROM shop.orders WHERE account_id = ANY ($1)', ['shop.orders']],
  ['by several values of a unique key', 'SELECT * FROM shop.orders WHERE id = ANY ($1)', ['shop.orders']],
  [
    'by a batch',
    'UPDATE shop.orders o SET total = b.total FROM unnest($1::text[], $2::int[]) AS b (id, total) WHERE o.id = b.id',
    ['shop.orders'],
  ],
  [
    'by a batch of a part',
    'WITH batch AS (SELECT * FROM jsonb_to_recordset($1) AS e (id text)) DELETE FROM shop.orders o USING batch b WHERE o.id = b.id',
    ['shop.orders'],
  ],
  [
    'by a list from a batch',
    'SELECT FROM shop.orders WHERE account_id IN (SELECT a FROM unnest($1::text[]) a)',
    ['shop.orders'],
  ],
  ['by one of two conditions', 'SELECT * FROM shop.orders WHERE account_id = $1 OR at > $2', ['shop.orders']],
  ['by a column of the same row', 'SELECT * FROM shop.orders WHERE account_id = shop', ['shop.orders']],
  [
    'by a join of two tables that nothing binds',
    'SELECT * FROM shop.items i JOIN shop.orders o ON o.id = i.order_id',
    ['shop.items', 'shop.orders'],
  ],
  [
    'in a part of it',
    'WITH old AS (SELECT id FROM shop.orders WHERE at < $1) DELETE FROM shop.items i USING old WHERE i.order_id = old.id',
    ['shop.orders'],
  ],
  [
    'by an outer join that keeps its rows',
    'SELECT * FROM shop.orders o LEFT JOIN shop.items i ON i.order_id = o.id AND o.account_id = $1',
    ['shop.items', 'shop.orders'],
  ],
  [
    'by a full join with a part',
    'WITH one AS (SELECT id FROM shop.orders WHERE id = $1) SELECT * FROM shop.orders o FULL JOIN one USING (id)',
    ['shop.orders'],
  ],
  [
    'in one half of a union',
    'SELECT id FROM shop.orders WHERE id = $1 UNION SELECT id FROM shop.orders WHERE at < $2',
    ['shop.orders'],
  ],
  [
    'in the source of an insertion',
    'INSERT INTO shop.items (order_id) SELECT id FROM shop.orders WHERE at < $1',
    ['shop.orders'],
  ],
  [
    'with a lower bound of the account only',
    'SELECT * FROM shop.orders WHERE account_id >= $1',
    ['shop.orders'],
  ],
])('finds a statement that crosses accounts %s', async (_how, text, tables) => {
  expect(await crossed(text)).toEqual(tables);
});

it('decides an optional condition by whether its parameter is null', async () => {
  const text = 'SELECT * FROM shop.orders WHERE ($1::text IS NULL OR account_id = $1)';
  expect(await crossed(text, [])).toEqual([]);
  expect(await crossed(text, [1])).toEqual(['shop.orders']);
});

it('names all tables of accounts that a statement uses', async () => {
  const text =
    'WITH o AS (UPDATE shop.orders SET total = 0 WHERE id = $1) INSERT INTO shop.items (order_id) VALUES ($1)';
  expect((await scopeOf(text, TABLES)).tables).toEqual(['shop.items', 'shop.orders']);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findMisplacedDataAccess, readDataAccess } from './data-access.mjs';

const SERVICE = 'apps/shop/src/orders/orders.service.ts';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'data-access-'))));
afterEach(() => rmSync(root, { recursive: true }));

function read(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return readDataAccess(root);
}
const readService = (text: string) => read({ [SERVICE]: text })[0]!;
const problems = (files: Record<string, string>) =>
  findMisplacedDataAccess(read(files)).map(({ place, problem }) => `${place}: ${problem}`);

it.each([
  "'SELECT FROM shop.orders'",
  '`\n  INSERT INTO shop.orders (id) VALUES ($1)`',
  '`UPDATE ${TABLE} SET paid = true`',
  "'DELETE FROM shop.orders'",
  '`WITH old AS (SELECT 1) SELECT * FROM old`',
  "'BEGIN'",
  "'SET LOCAL statement_timeout = 0'",
  "'LISTEN orders'",
  "'CREATE TABLE orders ()'",
])('takes %s for a statement', (literal) => {
  expect(readService(`run(${literal});`).literals).toMatchObject([{ line: 1, isStatement: true }]);
});

it.each([
  "'account_id = $1 AND ended_at IS NULL'",
  '`${FIND} FOR UPDATE`',
  `'id, account_id AS "accountId"'`,
  "'ORDER BY id '",
  "'created_at::text'",
  `"interval '1 day'"`,
])('takes %s for a part of a statement', (literal) => {
  expect(readService(`run(${literal});`).literals).toMatchObject([{ line: 1, isStatement: false }]);
});

it.each([
  "'Select a model from the list, where one is free.'",
  "'-----BEGIN CERTIFICATE-----'",
  "text.replace(/a(b)/, '($1)')",
  "'MAIL_FROM'",
  "'DELETE'",
  "'the LIMIT is reached'",
])('does not take %s for SQL', (expression) => {
  expect(readService(`run(${expression});`).literals).toEqual([]);
});

it('takes a constant for SQL if a statement contains it, also one of another file', () => {
  const facts = read({
    'apps/shop/src/orders/columns.ts': `
      export const COLUMNS = 'id, paid_at';
      const SORT = 'paid_at, id';
      export const SORTED = \`ORDER BY \${SORT}\`;
      export const TASK = 'clean';`,
    [SERVICE]: `
      import { COLUMNS as ALL, SORTED, TASK } from './columns';
      const TITLES = 'Order, paid on';
      const LIST = \`SELECT \${ALL}, '\${TASK}' FROM shop.orders \${SORTED}\`;`,
    'apps/shop/src/carts/columns.ts': `export const COLUMNS = 'id, name';`,
  });
  expect(facts.map(({ file, literals }) => [file, literals.map(({ line }) => line).sort()])).toEqual([
    ['apps/shop/src/carts/columns.ts', []],
    ['apps/shop/src/orders/columns.ts', [2, 3, 4]],
    [SERVICE, [4]],
  ]);
});

it('counts calls of query, row types, functions that map a row, and lines without comments', () => {
  const facts = readService(`
    import { type Stored } from './stored';
    /** A row. */
    interface Row {
      id: string; // The key.
    }
    const view = (row: Row) => ({ key: row.id });
    const keyOf = (row: Row) => row.id;
    class Orders {
      async list(sql: Sql) {
        const { rows } = await sql.query<Row>(LIST);

        this.log('listed');
        return rows.map(view);
      }
      async find(sql: Sql) {
        const { rows } = await sql.query<Stored & { at: string }>(
          FIND,
        );
        return rows.map(({ at, ...stored }) => ({ stored, at }));
      }
    }`);
  expect(facts).toMatchObject({
    queries: [11, 17],
    rowTypes: [`${SERVICE} Row`, 'apps/shop/src/orders/stored.ts Stored'],
    inlineRowTypes: [17],
    mappers: [
      { line: 7, name: 'view' },
      { line: 20, name: '(inline)' },
    ],
    // Lines 4 to 6 and 7, 11, 17 to 19, 20.
    lines: 9,
  });
});

it('counts all lines of a repository but its imports', () => {
  const [facts] = read({
    'apps/shop/src/orders/orders.repository.ts': `
      import { Order } from './order.entity';
      // All of them.
      export class OrdersRepository {

        find() {}
      }`,
  });
  expect(facts).toMatchObject({ isDataFile: true, lines: 3 });
});

it('rejects SQL outside of repositories, entities, migrations and the database library', () => {
  const text = "run('SELECT 1');";
  expect(
    problems({
      [SERVICE]: `\n${text}`,
      'libs/wallet/src/ledger.ts': text,
      'apps/shop/src/orders/orders.repository.ts': text,
      'apps/shop/src/orders/order.entity.ts': text,
      'libs/database/src/pool.ts': text,
      'libs/database/src/migrations/0001-orders.ts': text,
      'apps/shop/src/orders/orders.int-spec.ts': text,
      'apps/shop/src/orders/orders.fixture.ts': text,
      'apps/shop/src/testing/shop.ts': text,
      'libs/testing/src/database.ts': text,
    }),
  ).toEqual([
    `${SERVICE}:2: SQL belongs into a repository: 'SELECT 1'`,
    "libs/wallet/src/ledger.ts:1: SQL belongs into a repository: 'SELECT 1'",
  ]);
});

it('rejects imports of TypeORM there, except that modules may register entities', () => {
  expect(
    problems({
      [SERVICE]: "import { type EntityManager } from 'typeorm';",
      'apps/shop/src/orders/orders.controller.ts': "import { InjectRepository } from '@nestjs/typeorm';",
      'apps/shop/src/orders/orders.module.ts': "import { TypeOrmModule } from '@nestjs/typeorm';",
      'apps/shop/src/orders/orders.repository.ts': "import { Repository } from 'typeorm';",
      'apps/shop/src/orders/order.entity.ts': "import { Entity } from 'typeorm';",
    }),
  ).toEqual([
    'apps/shop/src/orders/orders.controller.ts:1: imports @nestjs/typeorm, which belongs into a repository or an entity',
    `${SERVICE}:1: imports typeorm, which belongs into a repository or an entity`,
  ]);
});

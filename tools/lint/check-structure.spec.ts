import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkStructure } from './check-structure.mjs';

const SRC = 'apps/shop/src';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'check-structure-'))));
afterEach(() => rmSync(root, { recursive: true }));

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

const provider = (name: string, text = '') => `${text}\n@Injectable()\nexport class ${name} {}\n`;
const nestModule = (name: string, providers: string, exported: string) =>
  `@Module({ providers: [${providers}], exports: [${exported}] })\nexport class ${name} {}\n`;

/** Two features of one area, without any problem. */
const SHOP = {
  [`${SRC}/app.module.ts`]: "import { SalesModule } from './sales/sales.module';\n",
  [`${SRC}/sales/sales.module.ts`]:
    "import { OrdersModule } from './orders/orders.module';\nimport { CartsModule } from './carts/carts.module';\n",
  [`${SRC}/sales/currency.ts`]: "export const CURRENCY = 'USD';\n",
  [`${SRC}/sales/orders/orders.module.ts`]: nestModule(
    'OrdersModule',
    'OrdersService, OrdersRepository',
    'OrdersService',
  ),
  [`${SRC}/sales/orders/orders.service.ts`]: provider(
    'OrdersService',
    "import { CURRENCY } from '../currency';",
  ),
  [`${SRC}/sales/orders/orders.repository.ts`]: provider('OrdersRepository'),
  [`${SRC}/sales/orders/order.ts`]:
    'export const MAX_ITEMS = 10;\nexport class Order {}\nexport type Item = string;\n',
  [`${SRC}/sales/carts/carts.module.ts`]: nestModule('CartsModule', 'CartsService', ''),
  [`${SRC}/sales/carts/carts.service.ts`]: provider(
    'CartsService',
    "import { OrdersService } from '../orders/orders.service';\nimport { MAX_ITEMS, Order } from '../orders/order';",
  ),
};

const check = () => checkStructure(root);

it('accepts imports of exported providers, constants and plain classes of another feature', () => {
  write(SHOP);
  expect(check()).toEqual([]);
});

it('rejects an import cycle between two features', () => {
  write({
    ...SHOP,
    [`${SRC}/sales/orders/order.ts`]:
      "import { EMPTY } from '../carts/cart';\nexport const MAX_ITEMS = 10;\n",
    [`${SRC}/sales/carts/cart.ts`]: 'export const EMPTY = [];\n',
  });
  expect(check()).toEqual([
    `${SRC}/sales/carts: import cycle with sales/orders (sales/carts/carts.service.ts imports sales/orders; sales/orders/order.ts imports sales/carts)`,
  ]);
});

it('rejects an import cycle between three features of several areas', () => {
  const feature = (name: string, imported: string) => ({
    [`${SRC}/${name}.module.ts`]: `import { X } from '${imported}';\n@Module({})\nexport class X {}\n`,
  });
  write({
    ...feature('a/one/one', '../../b/two/two.module'),
    ...feature('b/two/two', '../../c/three/three.module'),
    ...feature('c/three/three', '../../a/one/one.module'),
  });
  expect(check()).toEqual([expect.stringContaining(`${SRC}/a/one: import cycle with b/two, c/three (`)]);
});

it('accepts an import of types against the direction of the other imports', () => {
  write({
    ...SHOP,
    [`${SRC}/sales/orders/order.ts`]:
      "import { type Cart } from '../carts/cart';\nimport type { Line } from '../carts/cart';\nexport const MAX_ITEMS = 10;\n",
    [`${SRC}/sales/carts/cart.ts`]: 'export interface Cart {}\nexport interface Line {}\n',
  });
  expect(check()).toEqual([]);
});

it.each(['Injectable', 'Controller'])(
  'rejects the import of a class with @%s that is not exported',
  (name) => {
    write({
      ...SHOP,
      [`${SRC}/sales/orders/orders.repository.ts`]: `@${name}()\nexport class OrdersRepository {}\n`,
      [`${SRC}/sales/carts/carts.service.ts`]: provider(
        'CartsService',
        "import { OrdersRepository as Orders } from '../orders/orders.repository';",
      ),
    });
    expect(check()).toEqual([
      `${SRC}/sales/carts/carts.service.ts: imports OrdersRepository, which the module of sales/orders does not export`,
    ]);
  },
);

it('rejects the import of a private provider by a file outside of all features, but not by a test', () => {
  const text = "import { OrdersRepository } from './sales/orders/orders.repository';\n";
  write({
    ...SHOP,
    [`${SRC}/main.ts`]: text,
    [`${SRC}/main.int-spec.ts`]: text,
    [`${SRC}/shop.fixture.ts`]: text,
  });
  expect(check()).toEqual([
    `${SRC}/main.ts: imports OrdersRepository, which the module of sales/orders does not export`,
  ]);
});

it('treats a module below a feature as a part of the feature', () => {
  write({
    ...SHOP,
    [`${SRC}/sales/orders/export/export.module.ts`]: nestModule('ExportModule', 'Exporter', ''),
    [`${SRC}/sales/orders/export/exporter.ts`]: provider(
      'Exporter',
      "import { OrdersRepository } from '../orders.repository';",
    ),
  });
  expect(check()).toEqual([]);
});

it('rejects an app module of more than 60 lines', () => {
  write({ [`${SRC}/app.module.ts`]: '//\n'.repeat(60), 'apps/other/src/app.module.ts': '//\n'.repeat(61) });
  expect(check()).toEqual([expect.stringContaining('apps/other/src/app.module.ts: has 61 lines')]);
});

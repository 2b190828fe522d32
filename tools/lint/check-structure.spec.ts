import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  expect(check()).toEqual([
    expect.stringContaining(`${SRC}/a/one: import cycle with b/two, c/three (`),
    expect.stringContaining(`${SRC}/a: area in an import cycle with b, c (`),
    `${SRC}/a/one/one.module.ts: in an import cycle with ${SRC}/b/two/two.module.ts, ${SRC}/c/three/three.module.ts`,
  ]);
});

it.each(["import { type Two } from './two';", "const two = () => import('./two');"])(
  'rejects a circle of files with %s',
  (text) => {
    write({
      'libs/shop/src/one.ts': `${text}\nexport interface One {}\n`,
      'libs/shop/src/two.ts': "import { type One } from './one';\nexport interface Two {}\n",
      'libs/shop/src/two.spec.ts': "import { type One } from './one';\n",
    });
    expect(check()).toEqual(['libs/shop/src/one.ts: in an import cycle with libs/shop/src/two.ts']);
  },
);

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

/** The modules of the features of `SHOP` in the module file of their area. */
function areaShop({ ordersClasses = 'OrdersService, OrdersRepository', cartsClasses = 'CartsService' } = {}) {
  const {
    [`${SRC}/sales/orders/orders.module.ts`]: _o,
    [`${SRC}/sales/carts/carts.module.ts`]: _c,
    ...rest
  } = SHOP;
  return {
    ...rest,
    [`${SRC}/sales/sales.module.ts`]: [
      "import { OrdersService } from './orders/orders.service';",
      "import { OrdersRepository } from './orders/orders.repository';",
      "import { CartsService } from './carts/carts.service';",
      nestModule('OrdersModule', ordersClasses, 'OrdersService'),
      `@Module({ imports: [OrdersModule], providers: [${cartsClasses}] })\nclass CartsModule {}\n`,
      '@Module({ imports: [OrdersModule, CartsModule] })\nexport class SalesModule {}\n',
    ].join('\n'),
  };
}

describe('of an area whose module file holds a module for each feature', () => {
  it('accepts imports of providers that a module of the area exports', () => {
    write(areaShop());
    expect(check()).toEqual([]);
  });

  it('rejects an import cycle between features, also of one without a provider', () => {
    write({
      ...areaShop(),
      [`${SRC}/sales/orders/order.ts`]:
        "import { EMPTY } from '../prices/price';\nexport const MAX_ITEMS = 10;\n",
      [`${SRC}/sales/prices/price.ts`]: "import { CART } from '../carts/cart';\nexport const EMPTY = [];\n",
      [`${SRC}/sales/carts/cart.ts`]: 'export const CART = 1;\n',
    });
    expect(check()).toEqual([
      expect.stringContaining(`${SRC}/sales/carts: import cycle with sales/orders, sales/prices (`),
    ]);
  });

  it('rejects an import of a module against the direction of other imports', () => {
    const files = areaShop();
    const modules = `${SRC}/sales/sales.module.ts`;
    write({
      ...files,
      [modules]: files[modules]!.replace(
        '@Module({ providers: [OrdersS',
        '@Module({ imports: [CartsModule], providers: [OrdersS',
      ),
    });
    expect(check()).toEqual([
      `${SRC}/sales/carts: import cycle with sales/orders (sales/sales.module.ts imports sales/carts; sales/sales.module.ts imports sales/orders)`,
    ]);
  });

  it('rejects the import of a provider that no module of the area exports', () => {
    const text = "import { OrdersRepository } from '../orders/orders.repository';\n";
    write({
      ...areaShop(),
      [`${SRC}/sales/carts/cart.ts`]: text,
      [`${SRC}/sales/prices.ts`]: text.replace('..', '.'),
      [`${SRC}/main.ts`]: text.replace('..', './sales'),
    });
    const problem = 'imports OrdersRepository, which the module of sales/orders does not export';
    expect(check().sort()).toEqual(
      ['main.ts', 'sales/carts/cart.ts', 'sales/prices.ts'].map((file) => `${SRC}/${file}: ${problem}`),
    );
  });

  it('rejects the import of a private provider beside the module file of the area', () => {
    write({
      ...areaShop(),
      [`${SRC}/sales/prices.service.ts`]: provider('PricesService'),
      [`${SRC}/sales/carts/cart.ts`]: "import { PricesService } from '../prices.service';\n",
    });
    expect(check()).toEqual([
      `${SRC}/sales/carts/cart.ts: imports PricesService, which the module of sales does not export`,
    ]);
  });

  it('rejects a module that lists classes of several features', () => {
    write(areaShop({ ordersClasses: 'OrdersService', cartsClasses: 'CartsService, OrdersRepository' }));
    expect(check()).toEqual([
      `${SRC}/sales/sales.module.ts: CartsModule lists classes of sales/carts, sales/orders: a module lists those of one feature of its area`,
    ]);
  });

  it('rejects a module that lists a class of another area', () => {
    const files = areaShop({ cartsClasses: 'Stock' });
    const modules = `${SRC}/sales/sales.module.ts`;
    write({
      ...files,
      [modules]: "import { Stock } from '../goods/stock/stock';\n" + files[modules],
      [`${SRC}/goods/stock/stock.ts`]: provider('Stock'),
      [`${SRC}/goods/stock/stock.module.ts`]: nestModule('StockModule', 'Stock', 'Stock'),
    });
    expect(check()).toEqual([
      `${SRC}/sales/sales.module.ts: CartsModule lists classes of goods/stock: a module lists those of one feature of its area`,
    ]);
  });

  it('rejects a class that several modules list', () => {
    write({
      ...areaShop({ ordersClasses: 'OrdersService, Prices', cartsClasses: 'CartsService, Prices' }),
      [`${SRC}/sales/prices.ts`]: provider('Prices'),
    });
    const modules = join(root, `${SRC}/sales/sales.module.ts`);
    writeFileSync(modules, "import { Prices } from './prices';\n" + readFileSync(modules, 'utf8'));
    expect(check()).toEqual([`${SRC}/sales: several modules list Prices: import the module that exports it`]);
  });
});

describe('of an app with a module file that holds the modules of its features', () => {
  const FEATURES = `${SRC}/features.module.ts`;

  function smallShop({ cartsClasses = 'CartsService', cartsText = '' } = {}) {
    return {
      [`${SRC}/app.module.ts`]:
        "import { CartsModule } from './features.module';\n@Module({ imports: [CartsModule] })\nexport class AppModule {}\n",
      [FEATURES]: [
        "import { OrdersService } from './orders/orders.service';",
        "import { OrdersRepository } from './orders/orders.repository';",
        "import { CartsService } from './carts/carts.service';",
        nestModule('OrdersModule', 'OrdersService, OrdersRepository', 'OrdersService'),
        `@Module({ imports: [OrdersModule], providers: [${cartsClasses}] })\nexport class CartsModule {}\n`,
      ].join('\n'),
      [`${SRC}/orders/orders.service.ts`]: provider('OrdersService'),
      [`${SRC}/orders/orders.repository.ts`]: provider('OrdersRepository'),
      [`${SRC}/carts/carts.service.ts`]: provider('CartsService', cartsText),
      [`${SRC}/stock/stock.module.ts`]: nestModule('StockModule', 'StockService', ''),
      [`${SRC}/stock/stock.service.ts`]: provider('StockService'),
    };
  }

  it('accepts imports of providers that one of them exports', () => {
    write(smallShop({ cartsText: "import { OrdersService } from '../orders/orders.service';" }));
    expect(check()).toEqual([]);
  });

  it.each([
    ['OrdersRepository', 'orders', '../orders/orders.repository'],
    ['StockService', 'stock', '../stock/stock.service'],
  ])('rejects the import of %s, which the module of %s does not export', (name, folder, file) => {
    write(smallShop({ cartsText: `import { ${name} } from '${file}';` }));
    write({ [`${SRC}/app.module.ts`]: `import { ${name} } from '${file.slice(1)}';` });
    const problem = `imports ${name}, which the module of ${folder} does not export`;
    expect(check()).toEqual([
      `${SRC}/app.module.ts: ${problem}`,
      `${SRC}/carts/carts.service.ts: ${problem}`,
    ]);
  });

  it('rejects a module that lists classes of several features', () => {
    const files = smallShop({ cartsClasses: 'CartsService, StockService' });
    write({
      ...files,
      [FEATURES]: "import { StockService } from './stock/stock.service';\n" + files[FEATURES],
    });
    expect(check()).toEqual([
      `${SRC}/features.module.ts: CartsModule lists classes of carts, stock: a module lists those of one feature of its area`,
    ]);
  });
});

it('rejects an import cycle between areas, also of types only and of entities', () => {
  write({
    [`${SRC}/sales/order.entity.ts`]: "import { Product } from '../goods/product.entity';\n",
    [`${SRC}/goods/product.entity.ts`]: "import { type Price } from '../prices/price';\n",
    [`${SRC}/prices/price.ts`]: "import type { Line } from '../sales/line';\nexport type Price = Line;\n",
    [`${SRC}/sales/line.ts`]: 'export interface Line {}\n',
    [`${SRC}/sales/orders/orders.module.ts`]: nestModule('OrdersModule', '', ''),
  });
  expect(check()).toEqual([
    `${SRC}/goods: area in an import cycle with prices, sales (goods/product.entity.ts imports prices; prices/price.ts imports sales; sales/order.entity.ts imports goods)`,
  ]);
});

it('rejects an app module of more than 60 lines', () => {
  write({ [`${SRC}/app.module.ts`]: '//\n'.repeat(60), 'apps/other/src/app.module.ts': '//\n'.repeat(61) });
  expect(check()).toEqual([expect.stringContaining('apps/other/src/app.module.ts: has 61 lines')]);
});

import { type AddressInfo } from 'node:net';
import { Controller, Get, type INestApplication, Module, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ListOrCsv } from './csv-list';

class NumberList {}

const READ: number[] = [];

/** Two numbers a page, without an end. */
@Controller()
class NumbersController {
  @Get('numbers')
  @ListOrCsv({
    description: 'Numbers.',
    type: NumberList,
    rows: 'numbers' as never,
    columns: ['n'],
    mostRows: 5,
  })
  list(@Query('cursor') cursor = '0') {
    const first = Number(cursor);
    READ.push(first);
    return { numbers: [{ n: first }, { n: first + 1 }], next_cursor: String(first + 2) };
  }
}

@Module({ controllers: [NumbersController] })
class NumbersModule {}

let app: INestApplication;
beforeAll(async () => {
  app = await NestFactory.create(NumbersModule, { logger: false });
  await app.listen(0, '127.0.0.1');
});
afterAll(() => app.close());

const read = async (accept: string) => {
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return fetch(`http://127.0.0.1:${port}/numbers`, { headers: { Accept: accept } });
};

it('is a file that ends with the most rows that it may have, and reads no further', async () => {
  READ.length = 0;
  const response = await read('text/csv');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(await response.text()).toBe('n\r\n0\r\n1\r\n2\r\n3\r\n4\r\n');
  expect(READ).toEqual([0, 2, 4]);
});

it('is a page as JSON', async () => {
  expect(await (await read('application/json')).json()).toEqual({
    numbers: [{ n: 0 }, { n: 1 }],
    next_cursor: '2',
  });
});

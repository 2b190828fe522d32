import { BadRequestException, Controller, type INestApplication, Post, Get } from '@nestjs/common';
import { env } from '@inference/config';
import { testLog } from '@inference/testing';
import { z } from 'zod';
import { ServiceModule } from '../service.module';
import { createService } from '../service';
import { ValidBody, ValidQuery } from './validation';

const body = z.object({
  name: z.string().max(20),
  count: z.int().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
const query = z.object({ page: env.integer(1, 9).optional() });

@Controller('things')
class ThingsController {
  @Post()
  create(@ValidBody(body) thing: z.output<typeof body>) {
    return thing;
  }

  @Get()
  list(@ValidQuery(query) { page }: z.output<typeof query>) {
    if (page === 9) throw new BadRequestException(['one', 'two']);
    return { page: page ?? 1 };
  }
}

class AppModule {}

describe('validated bodies and queries', () => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const module = { module: AppModule, imports: [ServiceModule], controllers: [ThingsController] };
    const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' };
    app = await createService(module, config, {
      name: 'things',
      bodyLimitBytes: 1_000_000,
      logTo: testLog('things'),
    });
    await app.listen(0, '127.0.0.1');
    url = `${await app.getUrl()}/things`;
  });

  afterAll(() => app.close());

  async function post(text: string): Promise<{ status: number; error: string }> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: text });
    const { error } = (await response.json()) as { error: string };
    return { status: response.status, error };
  }

  it('passes on what is valid', async () => {
    expect(await post('{"name":"ok","metadata":{"a":[1,{"b":null}]}}')).toEqual({
      status: 201,
      error: undefined,
    });
  });

  it('names every faulty field', async () => {
    const { status, error } = await post('{"name":7,"count":"x"}');
    expect(status).toBe(400);
    expect(error).toMatch(/name: .*; count: /);
  });

  it.each(['null', '1', '"text"', '[]', 'true'])('refuses the body %s', async (text) => {
    expect((await post(text)).status).toBe(400);
  });

  it('refuses a missing body', async () => {
    const response = await fetch(url, { method: 'POST' });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  it('names the field that has a NUL character', async () => {
    const { status, error } = await post('{"name":"a","metadata":{"deep":[{"x":"\\u0000"}]}}');
    expect(status).toBe(400);
    expect(error).toMatch(/^metadata\.deep\.0\.x: /);
  });

  it('refuses a NUL character in a key', async () => {
    const { status, error } = await post('{"name":"a","metadata":{"k\\u0000":1}}');
    expect(status).toBe(400);
    expect(error).toMatch(/^metadata: /);
  });

  it.each([
    '{"name":"a\\ud800"}',
    '{"name":"a","metadata":{"k":"\\udc00"}}',
    '{"name":"a","metadata":{"\\udc00":1}}',
  ])('refuses half a character in %s', async (text) => {
    expect((await post(text)).status).toBe(400);
  });

  it('takes characters outside the basic plane', async () => {
    expect((await post('{"name":"\\ud83d\\ude00"}')).status).toBe(201);
  });

  it.each([1_000, 400_000])('refuses %d levels of nesting', async (depth) => {
    const { status, error } = await post(
      `{"name":"a","metadata":{"k":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
    );
    expect(status).toBe(400);
    expect(error).toMatch(/nested/);
  });

  it.each(['page=0', 'page=x', 'page=1&page=2', 'page=%00', 'page=', 'page=1e1'])(
    'refuses the query ?%s',
    async (text) => {
      const response = await fetch(`${url}?${text}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: expect.stringMatching(/^page: /) });
    },
  );

  it('sees nothing but a name in brackets', async () => {
    const response = await fetch(`${url}?page[]=7&page[x]=7`);
    expect(await response.json()).toEqual({ page: 1 });
  });

  it('joins the messages of an exception that has several', async () => {
    const response = await fetch(`${url}?page=9`);
    expect(await response.json()).toEqual({ error: 'one; two' });
  });
});

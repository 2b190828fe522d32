import {
  BadRequestException,
  Body,
  Controller,
  Get,
  type INestApplication,
  Param,
  Post,
  Query,
} from '@nestjs/common';
import {
  FlagParameter,
  IdField,
  InstantField,
  IntegerField,
  IntegerParameter,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  TextField,
  Tolerant,
} from '@inference/dto';
import { testLog } from '@inference/testing';
import { ServiceModule } from '../service.module';
import { createService } from '../service';
import { Idempotency, IdempotencyHeaders } from './idempotency';
import { Public } from '../per-route';
import { AnyQuery } from './unexpected-input.guards';

class PartDto {
  @TextField({ description: 'A word.', maxLength: 5 })
  word!: string;
}

class ThingDto {
  @TextField({ description: 'A name.', maxLength: 20 })
  name!: string;

  @TextField({
    description: 'A unit.',
    optional: true,
    nullable: true,
    requiredIf: ({ count }) => count === 7,
  })
  unit?: string | null;

  @IntegerField({ description: 'How many.', min: 0, max: 9, optional: true })
  count?: number;

  @ObjectListField(() => PartDto, { description: 'Parts.', maxItems: 2, optional: true })
  parts?: PartDto[];

  @ObjectField(() => PartDto, { description: 'The first part.', optional: true, nullable: true })
  first?: PartDto | null;

  @JsonObjectField({ description: 'Anything.', optional: true })
  metadata?: Record<string, unknown>;
}

@Tolerant()
class TolerantDto {
  @TextField({ description: 'A name.', optional: true })
  name?: string;
}

class ThingPath {
  @IdField({ description: 'The id.', noun: 'thing', prefix: 'thg' })
  id!: string;
}

class ThingsQuery {
  @IntegerParameter({ description: 'A page.', min: 1, max: 9, optional: true, default: 1 })
  page: number = 1;

  @FlagParameter({ description: 'A flag.', optional: true })
  flag?: boolean;

  @InstantField({ description: 'A time.', optional: true })
  at?: bigint;
}

@Controller('things')
class ThingsController {
  @Post()
  create(@Body() thing: ThingDto) {
    return thing;
  }

  @Post('tolerant')
  tolerate(@Body() thing: TolerantDto) {
    return thing;
  }

  @Get('public')
  @Public()
  read(@Query() { page }: ThingsQuery) {
    return { page };
  }

  @Get('any')
  @AnyQuery()
  any() {
    return {};
  }

  @Post('repeatable')
  repeat(@Idempotency() { 'Idempotency-Key': key }: IdempotencyHeaders) {
    return { key: key ?? null };
  }

  @Get(':id')
  find(@Param() { id }: ThingPath) {
    return { id };
  }

  @Get()
  list(@Query() { page, flag, at }: ThingsQuery) {
    if (page === 9) throw new BadRequestException(['one', 'two']);
    return { page, flag, at: at?.toString() };
  }
}

class AppModule {}

describe('validated bodies and queries', () => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const module = {
      module: AppModule,
      imports: [ServiceModule.forRoot({})],
      controllers: [ThingsController],
    };
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

  it.each(['page[]=7', 'x=1', 'toString=1', 'constructor=1', '__proto__=1', 'hasOwnProperty=1'])(
    'refuses the unknown parameter of ?%s',
    async (text) => {
      const response = await fetch(`${url}?${text}`);
      expect(response.status).toBe(400);
      expect((await fetch(`${url}/thg_1?${text}`)).status).toBe(400);
      expect((await fetch(`${url}/any?${text}`)).status).toBe(200);
    },
  );

  it('names each unknown parameter of a handler that takes none', async () => {
    const response = await fetch(`${url}/thg_1?x=1&y=2`);
    expect(await response.json()).toEqual({ error: 'x: is not known here; y: is not known here' });
  });

  it('ignores a token of the query on a public route, as every credential', async () => {
    expect(await (await fetch(`${url}/public?token=x&page=2`)).json()).toEqual({ page: 2 });
    expect((await fetch(`${url}/public?token=x&y=1`)).status).toBe(400);
    expect((await fetch(`${url}?token=x`)).status).toBe(400);
  });

  it('reads parameters that are not texts', async () => {
    const response = await fetch(`${url}?page=7&flag=false&at=2026-01-31T08:00:00%2B08:00`);
    expect(await response.json()).toEqual({ page: 7, flag: false, at: '1769817600000000' });
    const refused = await fetch(`${url}?page=7&flag=1&at=yesterday`);
    expect(await refused.json()).toEqual({ error: expect.stringMatching(/^flag: .*; at: /) });
  });

  it.each(['thg', 'thg_', 'thg_a-b', '%00', '%ed%a0%80', 'x'.repeat(99)])('knows no thing %s', async (id) => {
    expect((await fetch(`${url}/${id}`)).status).toBe(id === '%ed%a0%80' ? 400 : 404);
  });

  it.each(['{"name":"a","count":7}', '{"name":"a","count":7,"unit":null}'])(
    'requires a field that another one demands: %s',
    async (text) => {
      expect(await post(text)).toEqual({ status: 400, error: expect.stringMatching(/^unit: /) });
      expect((await post(text.replace('7', '6'))).status).toBe(201);
    },
  );

  it.each(['[[]]', '[[{"word":"ok"}]]', '[null]', '["a"]'])('refuses the list of parts %s', async (parts) => {
    const { status, error } = await post(`{"name":"a","parts":${parts}}`);
    expect([status, error]).toEqual([400, expect.stringMatching(/^parts/)]);
  });

  it('names every fault of nested objects', async () => {
    const { status, error } = await post(
      '{"name":"a","parts":[{"word":"ok"},{"word":"too long"},7],"first":{}}',
    );
    expect(status).toBe(400);
    expect(error).toMatch(/^parts: must have at most 2 entries; first\.word: is missing$/);
    expect((await post('{"name":"a","parts":[{"word":"ok"},{"x":1}],"first":null}')).error).toBe(
      'parts.1.x: is not known here; parts.1.word: is missing',
    );
    expect((await post('{"name":"a","parts":[7]}')).status).toBe(400);
    expect((await post('{"name":"a","first":[]}')).status).toBe(400);
    expect((await post('{"name":"a","first":{"constructor":1,"word":"a"}}')).status).toBe(400);
  });

  it.each([
    '{"name":"a","x":1}',
    '{"name":"a","constructor":{"name":"x"}}',
    '{"name":"a","toString":1}',
    '{"name":"a","hasOwnProperty":1}',
    '{"name":"a","__proto__":{"name":"b"}}',
    '{"name":"a","metadata":{"__proto__":1}}',
    '{"__proto__":{"name":"a"}}',
    '{"name":null}',
    '{"name":"a","count":null}',
    '{"name":"a","count":"1"}',
    '{"name":"a","count":1.5}',
    '{"name":["a"]}',
    '{"name":{"length":1}}',
    '{"name":"a","metadata":[]}',
    '{"name":"a","metadata":null}',
  ])('refuses %s', async (text) => {
    const { status, error } = await post(text);
    expect(status).toBe(400);
    expect(error).toEqual(expect.any(String));
  });

  it('drops unknown fields of a tolerant body', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/tolerant`, { method: 'POST', headers, body: '{"name":"a","x":[]}' });
    expect(await response.json()).toEqual({ name: 'a' });
  });

  it('passes on an object of any content as it was sent', async () => {
    const metadata = { then: 1, prototype: 2, length: -1, list: [[{}], null], '0': { toString: null } };
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name: 'a', metadata });
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(await response.json()).toEqual({ name: 'a', metadata });
  });

  it('reads the idempotency key, which may be absent', async () => {
    const send = async (headers: Record<string, string>) => {
      const response = await fetch(`${url}/repeatable`, { method: 'POST', headers });
      return [response.status, await response.json()] as const;
    };
    expect(await send({})).toEqual([201, { key: null }]);
    expect(await send({ 'Idempotency-Key': 'k' })).toEqual([201, { key: 'k' }]);
    expect((await send({ 'Idempotency-Key': '' }))[0]).toBe(400);
  });

  const sendWithoutDto = async (body: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}/repeatable`, { method: 'POST', headers, body });
    const { error } = (await response.json()) as { error?: string };
    return [response.status, error];
  };

  it.each([
    ['{"x":1,"y":{}}', 'x: is not known here; y: is not known here'],
    ['{"__proto__":1}', '__proto__: is not known here'],
    ['[]', 'the body must be empty or an empty JSON object'],
    ['null', 'the body must be empty or an empty JSON object'],
    ['"text"', 'the body must be empty or an empty JSON object'],
  ])('refuses the body %s where none is expected', async (body, error) => {
    expect(await sendWithoutDto(body)).toEqual([400, error]);
  });

  it.each(['', '{}', ' {} '])('takes %j where no body is expected', async (body) => {
    expect(await sendWithoutDto(body)).toEqual([201, undefined]);
  });

  it('joins the messages of an exception that has several', async () => {
    const response = await fetch(`${url}?page=9`);
    expect(await response.json()).toEqual({ error: 'one; two' });
  });
});

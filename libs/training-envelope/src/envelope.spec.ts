import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  BadRequestException,
  Body,
  Controller,
  Delete,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  HttpException,
  type INestApplication,
  NotFoundException,
  Param,
  Post,
  Res,
  StreamableFile,
  UnauthorizedException,
} from '@nestjs/common';
import { Database, DatabaseModule } from '@inference/database';
import { createService, TooManyRequestsException, ServiceModule } from '@inference/http';
import { exactNumber } from '@inference/money';
import { testLog } from '@inference/testing';
import { type Response } from 'express';
import { CODES, ApiException, ENVELOPE_ERRORS, EnvelopeModule } from '.';
import { codeOf, statusOf } from './envelope';

const SECRET = 'the-cause-stays-inside';
const DIGITS = '123456789012345678.000000000001';
const BODY_LIMIT_BYTES = 1_000;

const ERRORS: Record<string, Error> = {
  bad: new BadRequestException('name: is missing'),
  anonymous: new UnauthorizedException('who is it?'),
  poor: new ApiException(CODES.walletEmpty, 'not enough'),
  forbidden: new ForbiddenException('not you'),
  quota: new ApiException(CODES.quotaExceeded, 'too much'),
  gone: new NotFoundException('no such thing'),
  reused: new ApiException(CODES.idReused, 'used before'),
  often: new TooManyRequestsException('too often', 7),
  crash: new Error(SECRET),
  hidden: new HttpException(SECRET, 502),
  unpublished: new ApiException(CODES.tokenPriceMissing, 'no price'),
};

@Controller('things')
class ThingsController {
  constructor(private readonly pool: Database) {}

  @Get()
  list() {
    return { things: ['one'], count: 1, amount: exactNumber(DIGITS) };
  }

  @Post()
  create(@Body() body: unknown) {
    return { body };
  }

  @Delete()
  remove() {}

  @Delete('silently')
  @HttpCode(204)
  removeSilently() {}

  @Get('file')
  @Header('Content-Type', 'text/csv')
  file() {
    return new StreamableFile(Buffer.from('a,b\r\n'));
  }

  @Get('half')
  half(@Res() response: Response) {
    response.write('the first half');
    throw new Error(SECRET);
  }

  @Get('stored')
  stored() {
    return this.pool.query('SELECT 1');
  }

  @Get('errors/:name')
  fail(@Param('name') name: string) {
    throw ERRORS[name]!;
  }
}

class AppModule {}

let app: INestApplication;
let url: string;

/** Runs without a database: only two of the routes need one. */
beforeAll(async () => {
  const module = {
    module: AppModule,
    imports: [
      ServiceModule.forRoot({}),
      EnvelopeModule,
      DatabaseModule.forRoot('things', {
        DATABASE_URL: 'postgres://u:p@127.0.0.1:1/none',
        DATABASE_POOL_SIZE: 1,
      }),
    ],
    controllers: [ThingsController],
  };
  app = await createService(
    module,
    { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' },
    {
      name: 'things',
      bodyLimitBytes: BODY_LIMIT_BYTES,
      ...ENVELOPE_ERRORS,
      logTo: testLog('envelope'),
    },
  );
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterAll(() => app.close());

const JSON_TYPE = { 'Content-Type': 'application/json' };

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function errorOf(path: string, init: RequestInit = {}) {
  const { status, headers, text } = await call(path, init);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { code, data, message, ...rest } = JSON.parse(text) as Record<string, unknown>;
  expect([data, rest]).toEqual([{}, {}]);
  return [status, code, message];
}

describe('success', () => {
  it('returns the result of the handler in the envelope, with every digit', async () => {
    const { status, headers, text } = await call('/things');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(text).toBe(`{"code":0,"data":{"things":["one"],"count":1,"amount":${DIGITS}},"message":""}`);
  });

  it('keeps the status of the handler', async () => {
    const { status, text } = await call('/things', { method: 'POST', headers: JSON_TYPE, body: '{"a":1}' });
    expect([status, text]).toEqual([201, '{"code":0,"data":{"body":{"a":1}},"message":""}']);
  });

  it('has empty data if the handler returns nothing, and no body with 204', async () => {
    expect((await call('/things', { method: 'DELETE' })).text).toBe('{"code":0,"data":{},"message":""}');
    const silent = await call('/things/silently', { method: 'DELETE' });
    expect([silent.status, silent.text]).toEqual([204, '']);
  });

  it('does not wrap a file', async () => {
    const { headers, text } = await call('/things/file');
    expect([headers.get('content-type'), text]).toEqual(['text/csv; charset=utf-8', 'a,b\r\n']);
  });
});

describe('an error', () => {
  it.each([
    ['bad', 400, 40000, 'name: is missing'],
    ['anonymous', 401, 40100, 'who is it?'],
    ['poor', 402, 40200, 'not enough'],
    ['forbidden', 403, 40300, 'not you'],
    ['quota', 403, 40301, 'too much'],
    ['gone', 404, 40400, 'no such thing'],
    ['reused', 409, 40901, 'used before'],
    ['often', 429, 42900, 'too often'],
    ['crash', 500, 50000, 'internal server error'],
    ['hidden', 502, 50200, 'internal server error'],
    ['unpublished', 503, 50301, 'no price'],
  ])('has its status and code: %s', async (name, ...expected) => {
    expect(await errorOf(`/things/errors/${name}`)).toEqual(expected);
  });

  it('keeps its headers', async () => {
    expect((await call('/things/errors/often')).headers.get('retry-after')).toBe('7');
  });

  it('an error before any handler has the same form', async () => {
    const post = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
      errorOf('/things', { method: 'POST', headers, body });
    expect(await errorOf('/nowhere')).toEqual([404, 40400, 'not found']);
    expect(await errorOf('/things/errors/%ff')).toEqual([400, 40000, 'the path is not valid']);
    expect(await errorOf('/things', { method: 'PUT' })).toEqual([405, 40500, 'method not allowed']);
    expect((await call('/things', { method: 'PUT' })).headers.get('allow')).toBe('DELETE, GET, HEAD, POST');
    expect(await post('{')).toEqual([400, 40000, 'the body is not valid JSON']);
    expect(await post(`"${'x'.repeat(BODY_LIMIT_BYTES)}"`)).toEqual([413, 41300, 'the body is too large']);
    expect(await post('a=1', { 'Content-Type': 'application/x-www-form-urlencoded' })).toEqual([
      415,
      41500,
      'the content type must be application/json',
    ]);
  });

  it("an error of Node's HTTP parser has the same form", async () => {
    const headers = { 'X-Long': 'x'.repeat(20_000) };
    expect(await errorOf('/things', { headers })).toEqual([431, 43100, 'the headers are too large']);

    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('nonsense\r\n\r\n');
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const message = 'the request is not valid HTTP';
    expect(JSON.parse(body!)).toEqual({ code: 40000, data: {}, message });
  });

  it('is 503 while the database is unavailable', async () => {
    expect(await errorOf('/things/stored')).toEqual([503, 50300, 'database unavailable']);
    expect((await call('/things/stored')).headers.get('retry-after')).toBe('1');
  });

  it('an error in the middle of a response closes the connection', async () => {
    await expect(call('/things/half')).rejects.toThrow();
  });
});

describe('routes that every service has', () => {
  it('respond as in the other services', async () => {
    const health = await call('/healthz');
    expect([health.status, health.text]).toEqual([503, '{"error":"database unavailable"}']);
  });
});

describe('an envelope code', () => {
  it('contains its status, differs from the code of the status alone, and is unique', () => {
    const codes = Object.values(CODES);
    for (const code of codes) expect([200, 299]).not.toContain(statusOf(code));
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.map(statusOf)).toEqual([402, 402, 403, 404, 409, 503, 503, 503]);
    expect(codeOf(404)).toBe(40400);
  });
});

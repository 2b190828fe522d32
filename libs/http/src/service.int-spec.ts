import { request as httpRequest } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpException,
  type INestApplication,
  Param,
  Post,
  Put,
  Res,
} from '@nestjs/common';
import { Database, DatabaseModule } from '@inference/database';
import { createTestDatabase, type TestDatabase, testLog, waitFor } from '@inference/testing';
import { type Response } from 'express';
import { Gauge } from 'prom-client';
import { HealthController } from './health.controller';
import { Metrics } from './metrics/metrics';
import { MetricsServer } from './metrics/metrics-server';
import { createService } from './service';
import { ServiceModule } from './service.module';

const BODY_LIMIT_BYTES = 1_000;
const SECRET = 'the-cause-stays-inside';

@Controller('things')
class ThingsController {
  constructor(private readonly pool: Database) {}

  @Get()
  list() {
    return { things: [] };
  }

  @Post()
  create(@Body() body: unknown) {
    return { body };
  }

  @Get('crash')
  crash() {
    throw Object.assign(new Error(SECRET), { detail: SECRET });
  }

  @Get('thrown-text')
  throwText() {
    // What a library throws need not be an error.
    throw SECRET;
  }

  @Get('hidden')
  hidden() {
    throw new HttpException(SECRET, 502);
  }

  @Get('half')
  @Header('Content-Type', 'text/plain')
  half(@Res() response: Response) {
    response.write('the first half');
    throw new Error(SECRET);
  }

  @Get('refused')
  async refused() {
    await this.pool.query('SELECT 1 / 0');
  }

  @Get(':id')
  async read(@Param('id') id: string) {
    const { rows } = await this.pool.query('SELECT $1::text AS id', [id]);
    return rows[0] as unknown;
  }

  @Put(':id')
  replace() {
    return {};
  }
}

class AppModule {}

async function startThings(
  databaseUrl: string,
): Promise<{ app: INestApplication; url: string; port: number }> {
  const module = {
    module: AppModule,
    imports: [
      ServiceModule.forRoot({}),
      DatabaseModule.forRoot('things', { DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: 2 }),
    ],
    controllers: [ThingsController],
  };
  const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace' };
  const options = { name: 'things', bodyLimitBytes: BODY_LIMIT_BYTES, logTo: testLog('things') };
  const app = await createService(module, config, options);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}`, port };
}

describe('a service', () => {
  let database: TestDatabase;
  let app: INestApplication;
  let url: string;
  let port: number;
  let metricsUrl: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    ({ app, url, port } = await startThings(database.urlFor('router_cost')));
    metricsUrl = `http://127.0.0.1:${await app.get(MetricsServer).listen(0, '127.0.0.1')}`;
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  async function send(path: string, init: RequestInit = {}) {
    const response = await fetch(url + path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  }

  const json = (body: string | Buffer, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });

  const errorBody = (message: string) => JSON.stringify({ error: message });

  it('answers what it has', async () => {
    const { status, headers, text } = await send('/things');
    expect([status, text]).toEqual([200, '{"things":[]}']);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['/', '/metrics', '/livez', '/nothing', '/things/a/b', '/healthzz', '/nothing?path=/things'])(
    'answers 404 to the unknown path %s',
    async (path) => {
      const { status, text } = await send(path);
      expect([status, text]).toEqual([404, errorBody('not found')]);
    },
  );

  it.each([
    ['DELETE', '/things', 'GET, HEAD, POST'],
    ['POST', '/things/7', 'GET, HEAD, PUT'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['OPTIONS', '/things', 'GET, HEAD, POST'],
  ])('answers 405 to %s %s and allows %s', async (method, path, allow) => {
    const { status, headers, text } = await send(path, { method });
    expect([status, headers.get('allow'), text]).toEqual([405, allow, errorBody('method not allowed')]);
  });

  it('answers HEAD as GET, without a body', async () => {
    const { status, headers, text } = await send('/things', { method: 'HEAD' });
    expect([status, headers.get('content-length'), text]).toEqual([200, '13', '']);
    expect((await send('/things/crash', { method: 'HEAD' })).status).toBe(500);
  });

  it.each(['{', '{"password":"hunter2"', 'hunter2', ' ', '{"a":1}}'])(
    'answers 400 to the malformed JSON "%s" and does not repeat it',
    async (body) => {
      const { status, text } = await send('/things', json(body));
      expect([status, text]).toEqual([400, errorBody('the body is not valid JSON')]);
    },
  );

  it('answers 413 to a body that is too large, announced, chunked or compressed', async () => {
    const large = JSON.stringify('x'.repeat(BODY_LIMIT_BYTES));
    const tooLarge = [413, errorBody('the body is too large')];
    const announced = await send('/things', json(large));
    expect([announced.status, announced.text]).toEqual(tooLarge);
    const compressed = await send('/things', json(gzipSync(large), { 'Content-Encoding': 'gzip' }));
    expect([compressed.status, compressed.text]).toEqual(tooLarge);
    const chunked = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json' };
      const outgoing = httpRequest(`${url}/things`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode);
        response.resume();
      });
      outgoing.on('error', reject);
      outgoing.write(large.slice(0, 10));
      outgoing.end(large.slice(10));
    });
    expect(chunked).toBe(413);
  });

  it('takes a compressed body, and answers 400 or 415 to one that is not what it says', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    expect((await send('/things', json(gzipSync('{"a":1}'), gzip))).text).toBe('{"body":{"a":1}}');
    expect((await send('/things', json('{"a":1}', gzip))).status).toBe(400);
    expect((await send('/things', json('{"a":1}', { 'Content-Encoding': 'zip' }))).status).toBe(415);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json', ''])(
    'answers 415 to a body of type "%s"',
    async (type) => {
      const { status, text } = await send('/things', json(Buffer.from('{}'), { 'Content-Type': type }));
      expect([status, text]).toEqual([415, errorBody('the content type must be application/json')]);
    },
  );

  it.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/vnd.things+json'])(
    'takes a body of type %s',
    async (type) => {
      expect((await send('/things', json('{}', { 'Content-Type': type }))).status).toBe(201);
    },
  );

  it('answers 415 to a charset that JSON does not have', async () => {
    const type = { 'Content-Type': 'application/json; charset=klingon' };
    expect((await send('/things', json('{}', type))).status).toBe(415);
  });

  it('answers 400 to a path that cannot be decoded, and does not repeat it', async () => {
    const { status, text } = await send('/things/%E0%A4%A');
    expect([status, text]).toEqual([400, errorBody('the path is not valid')]);
    expect((await send('/things/%E0%A4%A', { method: 'PATCH' })).status).toBe(400);
  });

  it('answers 400 when the database refuses a text of the path', async () => {
    const { status, text } = await send('/things/a%00b');
    expect([status, text]).toEqual([400, errorBody('the request must not contain NUL characters')]);
  });

  it.each(['crash', 'thrown-text', 'hidden', 'refused'])(
    'shows no cause of the failure in %s',
    async (path) => {
      const { status, text } = await send(`/things/${path}`);
      expect([status, text]).toEqual([path === 'hidden' ? 502 : 500, errorBody('internal server error')]);
    },
  );

  it('cuts a response that fails after its beginning, and serves on', async () => {
    await expect(send('/things/half')).rejects.toThrow();
    expect((await send('/things')).status).toBe(200);
  });

  it('survives a client that hangs up in the middle of its body', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        const head =
          'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{';
        socket.write(head, () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await send('/things')).status).toBe(200);
  });

  it('takes a harmless X-Request-Id, replaces any other, and sends it back', async () => {
    const id = async (offered?: string) => {
      const headers: Record<string, string> = offered === undefined ? {} : { 'X-Request-Id': offered };
      return (await send('/nothing', { headers })).headers.get('x-request-id');
    };
    expect(await id('trace_1.a-B')).toBe('trace_1.a-B');
    for (const offered of [undefined, '', 'a b', 'x'.repeat(129), '{"a":1}', 'é']) {
      expect(await id(offered)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('measures requests by their route, not by their path', async () => {
    await send('/things/some-id');
    await send('/nothing/at-all');
    const response = await fetch(`${metricsUrl}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await response.text();
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"}',
    );
    expect(text).toContain('route="unmatched",status="404"');
    expect(text).not.toContain('some-id');
    expect(text).not.toContain('at-all');
  });

  it('counts answers with 500 and no other errors', async () => {
    const count = async () =>
      /^http_internal_errors_total (\d+)$/m.exec(await (await fetch(`${metricsUrl}/metrics`)).text())?.[1];
    const before = Number(await count());
    for (const path of ['/things/hidden', '/nothing', '/things/crash']) await send(path);
    await waitFor(async () => Number(await count()) === before + 1);
  });

  it('answers 500 to a scrape while a collector fails, and goes on', async () => {
    const { registry } = app.get(Metrics);
    let isFailing = true;
    new Gauge({
      name: 'things',
      help: 'Number of things.',
      registers: [registry],
      collect() {
        if (isFailing) throw new Error(SECRET);
        this.set(7);
      },
    });
    const scrape = async () => {
      const response = await fetch(`${metricsUrl}/metrics`);
      return [response.status, await response.text()];
    };
    expect([await scrape(), await scrape()]).toEqual([
      [500, ''],
      [500, ''],
    ]);
    expect((await send('/things')).status).toBe(200);
    isFailing = false;
    expect(await scrape()).toEqual([200, expect.stringContaining('\nthings 7\n')]);
    registry.removeSingleMetric('things');
  });

  it('lets a browser load the parts of a page by http, as the page itself', async () => {
    const { headers } = await send('/things');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
  });

  it('is healthy while the database answers', async () => {
    const { status, headers, text } = await send('/healthz');
    expect([status, text, headers.get('cache-control')]).toEqual([200, '{"status":"ok"}', 'no-store']);
  });

  it('asks the database once for many probes, and sees soon that it is down', async () => {
    const check = jest.spyOn(Database.prototype, 'check');
    const health = app.get(HealthController);
    const response = { set: () => undefined } as unknown as Response;
    const probes = await Promise.all(Array.from({ length: 1_000 }, () => health.check(response)));
    expect(probes.filter((answer) => 'status' in answer)).toHaveLength(1_000);
    expect(check.mock.calls.length).toBeLessThanOrEqual(1);
    check.mockRejectedValue(new Error('down'));
    await waitFor(async () => (await send('/healthz')).status === 503);
    check.mockRestore();
    await waitFor(async () => (await send('/healthz')).status === 200);
  });

  it('answers 503 while the database is down, and nothing but that', async () => {
    const down = await startThings('postgres://router_cost:secret@127.0.0.1:1/none');
    const unavailable = [503, errorBody('database unavailable')];
    const health = await fetch(`${down.url}/healthz`);
    expect([health.status, await health.text()]).toEqual(unavailable);
    const query = await fetch(`${down.url}/things/7`);
    expect([query.status, await query.json()]).toEqual([
      503,
      { error: 'database unavailable', code: 'database_unavailable' },
    ]);
    expect(query.headers.get('retry-after')).toBe('1');
    expect((await fetch(`${down.url}/things`)).status).toBe(200);
    const livenessPort = await down.app.get(MetricsServer).listen(0, '127.0.0.1');
    expect((await fetch(`http://127.0.0.1:${livenessPort}/livez`)).status).toBe(200);
    await down.app.close();
  });
});

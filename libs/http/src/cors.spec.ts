import {
  Body,
  Controller,
  ForbiddenException,
  Get,
  Header,
  HttpException,
  type INestApplication,
  Post,
  Res,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { testLog } from '@inference/testing';
import { type Response } from 'express';
import { type AllowedOrigins } from './cors';
import { createService } from './service';
import { ServiceModule } from './service.module';

const PAGE = 'https://console.example.com';
const OTHER = 'http://localhost:5173';
const STRANGER = 'https://evil.example';

class Refusing {
  canActivate(): boolean {
    throw new UnauthorizedException();
  }
}

@Controller('things')
class ThingsController {
  @Get()
  list() {
    return {};
  }

  @Post()
  create(@Body() body: unknown) {
    return { body };
  }

  @Get('closed')
  @UseGuards(Refusing)
  closed() {
    return {};
  }

  @Get('forbidden')
  forbidden() {
    throw new ForbiddenException();
  }

  @Get('limited')
  limited() {
    throw new HttpException('slow down', 429);
  }

  @Get('crash')
  crash() {
    throw new Error('broken');
  }

  @Get('stream')
  @Header('Content-Type', 'text/event-stream')
  stream(@Res() response: Response) {
    response.write('data: one\n\n');
    response.end('data: two\n\n');
  }

  @Get(':id')
  read() {
    return {};
  }
}

class AppModule {}

async function start(origins?: AllowedOrigins): Promise<{ app: INestApplication; url: string }> {
  const module = { module: AppModule, imports: [ServiceModule.forRoot({})], controllers: [ThingsController] };
  const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace', CORS_ORIGINS: origins };
  const app = await createService(module, config, {
    name: 'things',
    bodyLimitBytes: 100,
    logTo: testLog('things'),
  });
  await app.listen(0, '127.0.0.1');
  return { app, url: await app.getUrl() };
}

/** The CORS headers of a response, without `Vary`. */
const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

describe.each<[string, AllowedOrigins | undefined]>([
  ['without origins', undefined],
  ['with a list of origins', [PAGE, OTHER]],
  ['with any origin', '*'],
])('a service %s', (_name, origins) => {
  let app: INestApplication;
  let url: string;
  beforeAll(async () => ({ app, url } = await start(origins)));
  afterAll(() => app.close());

  const json = (body: string, type = 'application/json') => ({
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
  });
  const get: RequestInit = {};
  const answers: [string, number, string, RequestInit][] = [
    ['what was asked for', 200, '/things', get],
    ['a stream', 200, '/things/stream', get],
    ['a refusal of its guards', 401, '/things/closed', get],
    ['a refusal', 403, '/things/forbidden', get],
    ['a rate limit', 429, '/things/limited', get],
    ['a failure', 500, '/things/crash', get],
    ['an unknown path', 404, '/nothing', get],
    ['a path that cannot be read', 400, '/things/%E0%A4%A', get],
    ['a wrong method', 405, '/things', { method: 'PUT' }],
    ['a body that cannot be read', 400, '/things', json('{')],
    ['a body that is too large', 413, '/things', json(`"${'x'.repeat(200)}"`)],
    ['a body of another type', 415, '/things', json('a', 'text/plain')],
  ];

  async function ask(path: string, origin: string | undefined, init: RequestInit = {}) {
    const headers = { ...(init.headers as Record<string, string>), ...(origin ? { Origin: origin } : {}) };
    const response = await fetch(url + path, { ...init, headers });
    await response.text();
    return response;
  }

  it.each(answers)('lets %s be read by whom it may', async (_what, status, path, init) => {
    const readable = await ask(path, PAGE, init);
    expect(readable.status).toBe(status);
    const { 'access-control-expose-headers': exposed, ...headers } = corsHeaders(readable.headers);
    if (origins === undefined) {
      expect([exposed, headers, readable.headers.get('vary')]).toEqual([undefined, {}, null]);
      return;
    }
    expect(exposed?.split(',')).toEqual(
      expect.arrayContaining(['X-Request-Id', 'Retry-After', 'RateLimit-Remaining', 'Content-Disposition']),
    );
    expect(headers).toEqual(
      origins === '*'
        ? { 'access-control-allow-origin': '*' }
        : { 'access-control-allow-origin': PAGE, 'access-control-allow-credentials': 'true' },
    );
    if (origins !== '*') expect(readable.headers.get('vary')).toContain('Origin');
  });

  it.each([STRANGER, `${PAGE}.evil.example`, `${PAGE}/`, 'null', undefined])(
    'answers the origin %s without opening itself to it',
    async (origin) => {
      const { status, headers } = await ask('/things', origin);
      expect(status).toBe(200);
      expect(headers.get('access-control-allow-origin')).toBe(origins === '*' ? '*' : null);
      // Or a cache would hand the answer for one origin to another.
      if (Array.isArray(origins)) expect(headers.get('vary')).toContain('Origin');
    },
  );

  it('answers a preflight before it asks for a credential', async () => {
    const init = {
      method: 'OPTIONS',
      headers: {
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,x-entrypoint',
      },
    };
    const { status, headers } = await ask('/things/closed', OTHER, init);
    if (origins === undefined) {
      expect([status, corsHeaders(headers)]).toEqual([405, {}]);
      return;
    }
    expect(status).toBe(204);
    expect(corsHeaders(headers)).toMatchObject({
      'access-control-allow-origin': origins === '*' ? '*' : OTHER,
      'access-control-allow-methods': expect.stringContaining('DELETE'),
      'access-control-allow-headers': 'authorization,content-type,x-entrypoint',
      'access-control-max-age': '7200',
    });
    expect(headers.has('access-control-allow-credentials')).toBe(origins !== '*');
  });
});

import { type AddressInfo } from 'node:net';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpException,
  type INestApplication,
  Module,
  Param,
  Post,
  Req,
  Res,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { createService, FastPath, RefusedCalls, ServiceModule } from '@inference/http';
import { testLog } from '@inference/testing';
import { type Request, type Response } from 'express';
import { RefusalLimitModule } from './refusal-limit';

/** Refused calls of an address in a minute, at this multiplier. */
const LIMIT = 30;
const MULTIPLIER = 0.01;

/** `X-Caller: account` has a credential of a customer, `X-Caller: service` that of a service. */
class TestCredentials implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const credential = request.headers['x-caller'];
    if (request.path === '/healthz') return true;
    if (credential === 'service') request.service = 'agent';
    else if (credential === 'account') request.caller = { accountId: 'acct_1', role: 'user' };
    else throw new UnauthorizedException('no credential');
    return true;
  }
}

@Controller('answers')
class AnswersController {
  @Get(':status')
  answer(@Param('status') status: string) {
    if (status !== '200') throw new HttpException('as asked', Number(status));
    return {};
  }

  @Post('bodies')
  body(@Body() body: object) {
    return body;
  }

  @Post('fast')
  @FastPath()
  fast(@Req() _request: Request, @Res() response: Response): Promise<void> {
    response.json({ fast: true });
    return Promise.resolve();
  }
}

@Module({ providers: [{ provide: APP_GUARD, useClass: TestCredentials }] })
class TestCredentialsModule {}

class AppModule {}

describe('the limit of refused calls', () => {
  let app: INestApplication;
  let url: string;
  let address: string;
  let addresses = 0;

  beforeAll(async () => {
    const module = {
      module: AppModule,
      imports: [
        ServiceModule.forRoot({}),
        RefusalLimitModule.forRoot('things', {
          SITE: 'intl',
          REDIS_URL: undefined,
          RATE_LIMIT_MULTIPLIER: MULTIPLIER,
        }),
        TestCredentialsModule,
      ],
      controllers: [AnswersController],
    };
    const config = {
      HOST: '127.0.0.1',
      PORT: 0,
      LOG_LEVEL: 'trace',
      TRUST_PROXY: 1,
      CORS_ORIGINS: '*' as const,
    };
    app = await createService(module, config, {
      name: 'things',
      bodyLimitBytes: 1_000,
      logTo: testLog('things'),
      documentApi: (made) =>
        made.use('/openapi.json', made.get(RefusedCalls).countPublic, (_: Request, response: Response) =>
          response.json({}),
        ),
    });
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  beforeEach(() => (address = `198.18.0.${++addresses}`));
  afterAll(() => app.close());

  const call = (path: string, caller?: string, init: RequestInit = {}, from = address) =>
    fetch(url + path, {
      ...init,
      headers: { 'X-Forwarded-For': from, ...(caller && { 'X-Caller': caller }), ...init.headers },
    });
  const post = (body: string) => ({ method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
  const statusOf = async (...args: Parameters<typeof call>) => (await call(...args)).status;
  const repeat = async (...args: Parameters<typeof call>) => {
    for (let n = 0; n < LIMIT; n++) await call(...args);
  };
  /** Whether one refusal more is above the limit. A call that is not above it counts itself. */
  const isAbove = async () => {
    await call('/answers/200');
    return (await statusOf('/answers/200', 'account')) === 429;
  };

  it('answers 429 to every call of an address above the limit, and says until when', async () => {
    await repeat('/answers/200');
    expect(await statusOf('/answers/200', 'account')).toBe(200);
    expect(await statusOf('/answers/200')).toBe(401);
    for (const args of [
      ['/answers/200'],
      ['/answers/200', 'account'],
      ['/answers/fast', 'account', post('{}')],
      ['/openapi.json'],
      ['/nothing'],
    ] as Parameters<typeof call>[]) {
      const answer = await call(...args);
      expect([answer.status, await answer.json()]).toEqual([429, { error: 'too many refused requests' }]);
      const [limit, remaining, reset, retry] = [
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
        'retry-after',
      ].map((name) => Number(answer.headers.get(name)));
      expect([limit, remaining, retry]).toEqual([LIMIT, 0, reset]);
      expect(retry).toBeGreaterThan(0);
      expect(retry).toBeLessThanOrEqual(60);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect(await statusOf('/healthz')).toBe(200);
    expect(await statusOf('/answers/200', 'account', {}, '198.51.100.1')).toBe(200);
  });

  it.each<[string, Parameters<typeof call>]>([
    ['calls without a credential', ['/answers/200']],
    ['calls of the fast path without a credential', ['/answers/fast', undefined, post('{}')]],
    ['paths that do not exist', ['/nothing']],
    ['documents', ['/openapi.json']],
    ['malformed calls with a credential', ['/answers/bodies', 'account', post('{')]],
    ['bodies that are too large', ['/answers/bodies', 'account', post(`"${'x'.repeat(1_000)}"`)]],
    ['forbidden calls', ['/answers/403', 'account']],
  ])('counts %s', async (_what, args) => {
    await repeat(...args);
    expect(await isAbove()).toBe(true);
  });

  it.each<[string, Parameters<typeof call>]>([
    ['calls that succeed', ['/answers/200', 'account']],
    ['calls of the fast path that succeed', ['/answers/fast', 'account', post('{}')]],
    ...['402', '404', '409', '429', '500', '503'].map((status): [string, Parameters<typeof call>] => [
      `${status} with a credential`,
      [`/answers/${status}`, 'account'],
    ]),
    ['calls of a service', ['/answers/400', 'service']],
    ['probes', ['/healthz']],
  ])('does not count %s', async (_what, args) => {
    await repeat(...args);
    expect(await isAbove()).toBe(false);
  });

  it('counts an IPv6 network as one address', async () => {
    for (let n = 0; n <= LIMIT; n++) await call('/answers/200', undefined, {}, `2001:db8::${n.toString(16)}`);
    expect(await statusOf('/answers/200', 'account', {}, '2001:db8::ffff')).toBe(429);
    expect(await statusOf('/answers/200', 'account', {}, '2001:db8:0:1::1')).toBe(200);
  });
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  type INestApplication,
  Post,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { testLog, waitFor } from '@inference/testing';
import { type Request } from 'express';
import { Public } from '../per-route';
import { createService } from '../service';
import { ServiceModule } from '../service.module';
import { BodyAs } from './body.guard';
import { BodyMemory } from './body-memory';

const BODY_LIMIT_BYTES = 2 ** 20;
/** Eight bodies of the largest size, as the services have it. */
const BODY_MEMORY_BYTES = 8 * BODY_LIMIT_BYTES;
const ADDRESSES = ['192.0.2.1', '192.0.2.2', '2001:db8:1::1', '2001:db8:2::1'];
/** An eighth of the memory is kept for small bodies. */
const MOST_LARGE_BODIES = 7;

@Controller()
class BodiesController {
  @Post('calls')
  @BodyAs('bytes')
  call() {
    return {};
  }

  @Public()
  @Post('sign-ins')
  @BodyAs('bytes')
  signIn() {
    return {};
  }
}

/** The account is what the header says. */
class TestCredentials implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const account = request.headers['x-account'];
    if (typeof account === 'string') request.caller = { accountId: account, role: 'user' };
    return true;
  }
}

class AppModule {}

/** Random digits between spaces: the compressed form is fifty times shorter. */
const packed = gzipSync(
  Array.from({ length: BODY_LIMIT_BYTES / 1_024 }, () => randomBytes(16).toString('hex').padEnd(1_024)).join(
    '',
  ),
);

describe('bodies that are held unfinished', () => {
  let app: INestApplication;
  let port: number;
  let held: ClientRequest[];
  /** Those of `held` that have no answer. */
  let unfinished: Set<ClientRequest>;

  beforeAll(async () => {
    const module = {
      module: AppModule,
      imports: [ServiceModule.forRoot({ BODY_MEMORY_BYTES })],
      controllers: [BodiesController],
      providers: [{ provide: APP_GUARD, useClass: TestCredentials }],
    };
    const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace', TRUST_PROXY: 1 };
    app = await createService(module, config, {
      name: 'bodies',
      bodyLimitBytes: BODY_LIMIT_BYTES,
      logTo: testLog('bodies'),
    });
    await app.listen(0, '127.0.0.1');
    ({ port } = app.getHttpServer().address() as AddressInfo);
  });
  beforeEach(() => {
    held = [];
    unfinished = new Set();
  });
  afterEach(() => {
    held.forEach((sent) => sent.destroy());
    jest.restoreAllMocks();
  });
  afterAll(() => app.close());

  function begin(path: string, headers: Record<string, string>): ClientRequest {
    const sent = request({ port, path, method: 'POST', headers });
    return sent.on('error', () => undefined);
  }
  async function statusOf(path: string, headers: Record<string, string>, body: string) {
    const sent = begin(path, headers);
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  }
  const call = (account: string, body = '{}') =>
    statusOf('/calls', { 'X-Account': account, 'X-Forwarded-For': '198.51.100.1' }, body);
  const signIn = (address: string) => statusOf('/sign-ins', { 'X-Forwarded-For': address }, '{}');

  /** Begins a body of a megabyte that is compressed, without its last bytes. */
  function hold(account: string, address: string): void {
    const sent = begin('/calls', {
      'X-Account': account,
      'X-Forwarded-For': address,
      'Content-Encoding': 'gzip',
      'Content-Length': String(packed.length),
    });
    sent.write(packed.subarray(0, -10));
    void once(sent, 'response').then(
      () => unfinished.delete(sent),
      () => undefined,
    );
    held.push(sent);
    unfinished.add(sent);
  }
  it('eight of one account from four addresses do not keep others from calling and signing in', async () => {
    for (let n = 0; n < 8; n++) hold('attacker', ADDRESSES[n % 4]!);
    // Two that grow at the same moment may both be refused.
    await waitFor(() => unfinished.size <= 1);
    expect(await call('customer')).toBe(201);
    expect(await call('customer', 'x'.repeat(BODY_LIMIT_BYTES))).toBe(201);
    for (const address of [...ADDRESSES, '198.51.100.1']) expect(await signIn(address)).toBe(201);
  });

  it('may be many of one account, together as long as one of the largest size', async () => {
    const COUNT = 20;
    const bytes = Math.floor(BODY_LIMIT_BYTES / COUNT);
    const statuses: Promise<number | undefined>[] = [];
    const begun = () => {
      const sent = begin('/calls', { 'X-Account': 'parallel', 'Content-Length': String(bytes) });
      sent.write('x'.repeat(bytes - 1));
      held.push(sent);
      statuses.push(once(sent, 'response').then(([response]) => (response as IncomingMessage).statusCode));
      return sent;
    };
    const add = jest.spyOn(BodyMemory.prototype, 'add');
    const sent = Array.from({ length: COUNT }, begun);
    const isHeld = () => add.mock.calls.reduce((sum, [, added]) => sum + added, 0) >= COUNT * (bytes - 1);
    await waitFor(isHeld);
    begun();
    expect(await statuses.at(-1)).toBe(429);
    for (const one of sent) one.end('x');
    expect(await Promise.all(statuses.slice(0, COUNT))).toEqual(Array(COUNT).fill(201));
  });

  it('so many that no large body has room leave room for small ones', async () => {
    for (let n = 0; n < 8; n++) hold(`attacker ${n}`, ADDRESSES[n % 4]!);
    // The customer's own body must not take the room of one of them.
    await waitFor(() => unfinished.size === MOST_LARGE_BODIES);
    await waitFor(async () => (await call('customer', 'x'.repeat(BODY_LIMIT_BYTES))) === 503);
    expect(await call('customer', 'x'.repeat(65_536))).toBe(201);
    expect(await signIn('198.51.100.1')).toBe(201);
    for (const sent of held) sent.destroy();
    await waitFor(async () => (await call('customer', 'x'.repeat(BODY_LIMIT_BYTES))) === 201);
  });

  it('count for the address, or the network of an IPv6 address, of callers without an account', async () => {
    const MOST = 15_000;
    const begun = Array.from({ length: 70 }, (_, n) => {
      const sent = begin('/sign-ins', {
        'X-Forwarded-For': `2001:db8:3::${n.toString(16)}`,
        'Content-Length': String(MOST),
      });
      sent.write('x'.repeat(MOST - 1));
      return sent;
    });
    held.push(...begun);
    const first = await Promise.race(
      begun.map(async (sent) => ((await once(sent, 'response')) as [IncomingMessage])[0].statusCode),
    );
    expect(first).toBe(429);
    expect(await signIn('2001:db8:4::1')).toBe(201);
  });
});

import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Body, Controller, type INestApplication, Post } from '@nestjs/common';
import { testLog, waitFor } from '@inference/testing';
import { createService } from './service';
import { ServiceModule } from './service.module';

const BODY_LIMIT_BYTES = 1_000;
/** Four addresses with a body of the largest size each. */
const BODY_MEMORY_BYTES = 4 * BODY_LIMIT_BYTES;
const STALL_MILLIS = 30_000;
/** Of a body that arrives: for a pause, and for the whole. */
const TIMERS = 2;
const LATE = '{"error":"the request took too long to arrive"}';

@Controller('things')
class ThingsController {
  @Post()
  create(@Body() body: object) {
    return { fields: Object.keys(body).length };
  }
}

class AppModule {}

describe('the bodies of a running service', () => {
  let app: INestApplication;
  let port: number;

  beforeAll(async () => {
    const module = {
      module: AppModule,
      imports: [ServiceModule.forRoot({ BODY_MEMORY_BYTES })],
      controllers: [ThingsController],
    };
    const config = { HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'trace', TRUST_PROXY: 1 };
    app = await createService(module, config, {
      name: 'things',
      bodyLimitBytes: BODY_LIMIT_BYTES,
      logTo: testLog('things'),
    });
    await app.listen(0, '127.0.0.1');
    ({ port } = app.getHttpServer().address() as AddressInfo);
  });
  afterEach(() => jest.useRealTimers());
  afterAll(() => app.close());

  function begin(address: string, options: RequestOptions = {}) {
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address, ...options.headers };
    const sent = request({ port, path: '/things', method: 'POST', ...options, headers });
    return sent.on('error', () => undefined);
  }
  async function answerTo(sent: ReturnType<typeof begin>) {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }
  function post(address: string, body = '{}', options: RequestOptions = {}) {
    const sent = begin(address, options);
    sent.end(body);
    return answerTo(sent);
  }
  const statusOf = async (address: string) => (await post(address)).status;

  /** Sends all of a body but its last byte, and waits until the service holds it. */
  async function fill(address: string) {
    const sent = begin(address, { headers: { 'Content-Length': BODY_LIMIT_BYTES } });
    sent.write(`{"a":1${' '.repeat(BODY_LIMIT_BYTES - 7)}`);
    await waitFor(async () => (await statusOf(address)) === 429);
    return sent;
  }

  it('are held up to a limit of one address and of the process, until their requests end', async () => {
    const held = [await fill('10.0.0.1')];
    const ofOne = await post('10.0.0.1');
    expect([ofOne.status, ofOne.headers['retry-after'], ofOne.body]).toEqual([
      429,
      '1',
      '{"error":"too many large bodies at once"}',
    ]);
    expect(await statusOf('10.0.0.2')).toBe(201);
    for (const address of ['10.0.0.2', '10.0.0.3', '10.0.0.4']) held.push(await fill(address));
    const ofAll = await post('10.0.0.5', '{"abc":1}');
    expect([ofAll.status, ofAll.headers['retry-after'], ofAll.body]).toEqual([
      503,
      '1',
      '{"error":"the service holds too many large bodies","code":"busy"}',
    ]);
    const [complete, ...others] = held;
    complete!.end('}');
    expect(await answerTo(complete!)).toMatchObject({ status: 201, body: '{"fields":1}' });
    for (const other of others) other.destroy();
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.5'])
      await waitFor(async () => (await statusOf(address)) === 201);
  });

  it('leave the connection usable when they were refused after they had arrived', async () => {
    const held = await fill('10.0.0.6');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = async (address: string) => {
      const sent = begin(address, { agent });
      sent.end('{}');
      return [(await answerTo(sent)).status, sent.reusedSocket];
    };
    expect(await send('10.0.0.6')).toEqual([429, false]);
    expect(await send('10.0.0.7')).toEqual([201, true]);
    agent.destroy();
    held.destroy();
    await waitFor(async () => (await statusOf('10.0.0.6')) === 201);
  });

  it('are cut with 408 when they pause for 30 seconds, and their connections are closed', async () => {
    // The time of the service stands still but for `advanceTimersByTime`.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    const agent = new Agent({ keepAlive: true });
    const sent = begin('10.0.0.8', { agent, headers: { 'Content-Length': 100 } });
    const closed = once(sent, 'close');
    const answer = answerTo(sent);
    let isAnswered = false;
    sent.once('response', () => (isAnswered = true));
    sent.write('{"a":');
    while (jest.getTimerCount() < TIMERS) await new Promise(setImmediate);
    jest.advanceTimersByTime(STALL_MILLIS - 1);
    expect(jest.getTimerCount()).toBe(TIMERS);
    expect(isAnswered).toBe(false);
    jest.advanceTimersByTime(1);
    const { status, headers, body } = await answer;
    expect([status, headers.connection, body]).toEqual([408, 'close', LATE]);
    await closed;
    jest.useRealTimers();
    expect(await statusOf('10.0.0.8')).toBe(201);
  });
});

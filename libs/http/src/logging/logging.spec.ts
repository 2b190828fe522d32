import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { waitFor } from '@inference/testing';
import { pino } from 'pino';
import { QueryFailedError } from 'typeorm';
import { createLogger, NestLogger } from './logging';
import { requestLogger } from './request-logger';

const SECRET = 'do-not-log-this';

describe('a failure in the log', () => {
  it('has no part of the row that it was about', () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
    const failure = Object.assign(new Error('a constraint was violated'), {
      code: '23514',
      detail: `Failing row contains (${SECRET}).`,
      where: `SQL statement with ${SECRET}`,
      query: `SELECT '${SECRET}'`,
      parameters: [SECRET],
      driverError: { detail: SECRET },
    });
    logger.error(failure);
    new NestLogger(logger).error(failure);
    logger.error(new AggregateError([failure], 'several failed'));
    logger.error(Object.assign(new Error('it failed'), { reason: failure }));
    expect(lines).toHaveLength(4);
    for (const line of lines.slice(0, 2))
      expect(JSON.parse(line)).toMatchObject({ err: { code: '23514', stack: expect.any(String) } });
    expect(lines.join()).not.toContain(SECRET);
  });

  it('has no parameter of the statement that failed', () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
    const cause = Object.assign(new Error('a constraint was violated'), { code: '23514', detail: SECRET });
    logger.error(new QueryFailedError('INSERT INTO accounts.accounts VALUES ($1)', [SECRET], cause));
    expect(JSON.parse(lines[0]!)).toMatchObject({ err: { code: '23514', stack: expect.any(String) } });
    expect(lines[0]).not.toContain(SECRET);
  });
});

describe('the request log', () => {
  let lines: string[];
  let server: Server;
  let url: string;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const logger = pino({ level: 'info' }, sink);

  beforeAll(async () => {
    const log = requestLogger(logger);
    server = createServer((request, response) => {
      log(request, response);
      if (request.url === '/billed') response.setHeader('X-Inference-Request-Id', 'req_1');
      response.statusCode = Number(request.headers['x-status'] ?? 200);
      request.resume().on('end', () => response.setHeader('Location', `/x?token=${SECRET}`).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => (lines = []));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function entry(path: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
    await fetch(url + path, { redirect: 'manual', ...init });
    return JSON.parse(await waitFor(() => lines[0])) as Record<string, unknown>;
  }

  it('has a line per request, without query, headers and body', async () => {
    const headers = {
      Authorization: `Bearer ${SECRET}`,
      Cookie: `session=${SECRET}`,
      'X-API-Key': SECRET,
      'X-Request-Id': 'trace-1',
    };
    const line = await entry(`/v1/things?token=${SECRET}`, { method: 'POST', headers, body: SECRET });
    expect(line).toMatchObject({
      level: 30,
      req: { id: 'trace-1', method: 'POST', path: '/v1/things' },
      res: { statusCode: 200 },
      responseTime: expect.any(Number),
    });
    expect(Object.keys(line.req as object)).toEqual(['id', 'method', 'path']);
    expect(line).not.toHaveProperty('inferenceRequestId');
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain(SECRET);
  });

  it('names the request as the usage events do', async () => {
    expect(await entry('/billed')).toMatchObject({ inferenceRequestId: 'req_1' });
  });

  it.each([
    [404, 30],
    [500, 50],
    [501, 30],
    [503, 50],
  ])('logs the status %d on level %d', async (status, level) => {
    expect((await entry('/', { headers: { 'X-Status': String(status) } })).level).toBe(level);
  });

  it('leaves out probes', async () => {
    await fetch(`${url}/healthz`);
    expect(await entry('/other')).toMatchObject({ req: { path: '/other' } });
    expect(lines).toHaveLength(1);
  });

  it("has Nest's own lines with their level and context", () => {
    const nest = new NestLogger(logger);
    nest.warn('careful', 'Somewhere');
    nest.error(new Error('broken'), 'Elsewhere');
    nest.debug('not at this level');
    const entries = lines.map((line) => JSON.parse(line) as unknown);
    expect(entries).toMatchObject([
      { level: 40, msg: 'careful', context: 'Somewhere' },
      {
        level: 50,
        msg: 'broken',
        context: 'Elsewhere',
        err: { message: 'broken', stack: expect.any(String) },
      },
    ]);
    expect(entries).toHaveLength(2);
  });

  it.each<[string, unknown[]]>([
    ['with a context', [new Error('cause').stack, 'Somewhere']],
    ['without a context', [new Error('cause').stack]],
  ])('has the stack that Nest passes %s', (_name, rest) => {
    new NestLogger(logger).error('broken', ...rest);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      msg: 'broken',
      stack: expect.stringMatching(/^Error: cause\n +at /),
    });
    expect((JSON.parse(lines[0]!) as { context?: string }).context).toBe(rest[1]);
  });

  it.each(['error', 'warn'] as const)('has the error that comes with a message of level %s', (level) => {
    new NestLogger(logger)[level]('broken', new Error('cause'), 'Somewhere');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      msg: 'broken',
      context: 'Somewhere',
      err: { message: 'cause', stack: expect.any(String) },
    });
  });

  it('takes no context for a stack, and no missing stack for a context', () => {
    new NestLogger(logger).error('broken', undefined, 'Somewhere');
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'broken', context: 'Somewhere' });
    expect(JSON.parse(lines[0]!)).not.toHaveProperty('stack');
  });
});

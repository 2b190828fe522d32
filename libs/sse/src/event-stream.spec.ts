import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import {
  BadRequestException,
  Controller,
  Get,
  type INestApplication,
  Module,
  Res,
  Sse,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { waitFor } from '@inference/testing';
import { type Response as ExpressResponse } from 'express';
import { eventStream, type EventStream, type EventStreamOptions } from './event-stream';

/** More than the sockets of both sides hold. */
const LARGE_CHARS = 16_000_000;
const NEVER_MILLIS = 60_000;

let options: EventStreamOptions;
let opened: EventStream[] = [];
const ended = new Set<EventStream>();
let responses: ExpressResponse[] = [];
/** Is called when a stream opens. */
let opening: (stream: EventStream) => void = () => undefined;

@Controller()
class StreamsController {
  @Sse('stream')
  stream(@Res({ passthrough: true }) response: ExpressResponse) {
    responses.push(response);
    return eventStream(response, options, (stream) => {
      opened.push(stream);
      opening(stream);
      return () => void ended.add(stream);
    });
  }

  @Sse('refused')
  async refused(@Res({ passthrough: true }) response: ExpressResponse) {
    await Promise.resolve();
    eventStream(response, options, () => () => undefined);
    throw new BadRequestException('no');
  }

  @Get('plain')
  plain() {
    return {};
  }
}

@Module({ controllers: [StreamsController] })
class StreamsModule {}

let app: INestApplication;
let url: string;

beforeAll(async () => {
  app = await NestFactory.create(StreamsModule, { logger: false, forceCloseConnections: true });
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => app.close());
beforeEach(() => {
  options = { heartbeatMillis: NEVER_MILLIS, stallMillis: NEVER_MILLIS };
  opened = [];
  responses = [];
});

async function open(signal?: AbortSignal): Promise<{ response: Response; stream: EventStream }> {
  const response = await fetch(`${url}/stream`, signal ? { signal } : {});
  return { response, stream: opened.at(-1)! };
}

/** A client that reads the beginning of a stream and then no more. */
async function openStalled(): Promise<{ socket: Socket; stream: EventStream }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  return { socket, stream: opened.at(-1)! };
}

describe('headers', () => {
  it('are those of an event stream, each sent once', async () => {
    const { response, stream } = await open();
    stream.end();
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'private, no-cache, no-store, must-revalidate, max-age=0, no-transform',
      connection: 'keep-alive',
      'content-type': 'text/event-stream',
      date: expect.any(String) as string,
      pragma: 'no-cache',
      'transfer-encoding': 'chunked',
      'x-accel-buffering': 'no',
      'x-powered-by': 'Express',
    });
    await response.text();
  });

  it('are those of a JSON response if the handler throws', async () => {
    const response = await fetch(`${url}/refused`);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toMatchObject({ message: 'no' });
  });

  it('do not change other responses', async () => {
    const response = await fetch(`${url}/plain`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.has('x-accel-buffering')).toBe(false);
  });
});

describe('events', () => {
  it('have an id only if the sender gives one', async () => {
    const { response, stream } = await open();
    stream.send({ data: 'one' });
    stream.send({ type: 'delta', id: '3.17', data: '{"content":"two"}' });
    stream.send({ type: 'error', data: '{}' });
    stream.end();
    expect(await response.text()).toBe(
      '\ndata: one\n\nevent: delta\nid: 3.17\ndata: {"content":"two"}\n\nevent: error\ndata: {}\n\n',
    );
  });

  it('keep the line ends of their data', async () => {
    const { response, stream } = await open();
    stream.send({ data: 'one\ntwo\n' });
    stream.end();
    expect(await response.text()).toBe('\ndata: one\ndata: two\ndata: \n\n');
  });

  it.each([undefined, '1.1'])('carry the retry time on the first one, id %s', async (id) => {
    options.retryMillis = 1_000;
    const { response, stream } = await open();
    stream.sendComment();
    stream.send({ data: 'one', ...(id !== undefined && { id }) });
    stream.send({ data: 'two' });
    stream.end();
    const idField = id === undefined ? '' : `id: ${id}\n`;
    expect(await response.text()).toBe(`\n: \n\n${idField}retry: 1000\ndata: one\n\ndata: two\n\n`);
  });

  it('are sent at once, before and after Nest has begun the response', async () => {
    const { response, stream } = await open();
    const reader = response.body!.getReader();
    const next = async () => Buffer.from((await reader.read()).value!).toString();
    expect(await next()).toBe('\n');
    stream.send({ data: 'later' });
    expect(await next()).toBe('data: later\n\n');
    stream.end();
    opening = (early) => early.send({ data: 'early' });
    const begun = await open();
    begun.stream.send({ data: 'second' });
    begun.stream.end();
    opening = () => undefined;
    expect(await begun.response.text()).toBe('\ndata: early\n\ndata: second\n\n');
  });

  it('are ignored after the end', async () => {
    const { response, stream } = await open();
    stream.send({ data: 'one' });
    stream.end();
    stream.send({ data: 'two' });
    expect(stream.isClosed).toBe(true);
    expect(await response.text()).toBe('\ndata: one\n\n');
    expect(ended).toContain(stream);
  });
});

describe('heartbeat', () => {
  it('sends comments while there is no event', async () => {
    options.heartbeatMillis = 20;
    const { response, stream } = await open();
    const reader = response.body!.getReader();
    let text = '';
    while ((text.match(/^: $/gm) ?? []).length < 3)
      text += Buffer.from((await reader.read()).value!).toString();
    stream.end();
    expect(text).toMatch(/^\n(: \n\n)+$/);
  });

  it('sends none while events are sent more often', async () => {
    options.heartbeatMillis = 500;
    const { response, stream } = await open();
    for (let count = 0; count < 20; count++) {
      stream.send({ data: 'x' });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    stream.end();
    expect(await response.text()).not.toMatch(/^:/m);
  });
});

describe('a client that leaves', () => {
  it('closes the stream', async () => {
    const leaving = new AbortController();
    const { stream } = await open(leaving.signal);
    leaving.abort();
    await waitFor(() => ended.has(stream));
    expect(stream.isClosed).toBe(true);
    expect(await stream.drained()).toBe(false);
  });
});

describe('a client that reads too slowly', () => {
  it('is waited for', async () => {
    const { socket, stream } = await openStalled();
    stream.send({ data: 'x'.repeat(LARGE_CHARS) });
    await waitFor(() => stream.isBackedUp);
    const drained = stream.drained();
    socket.resume();
    expect(await drained).toBe(true);
    expect(stream.isBackedUp).toBe(false);
    expect(stream.isClosed).toBe(false);
    socket.destroy();
  });

  it('gets no heartbeat while it is behind', async () => {
    options.heartbeatMillis = 20;
    const { socket, stream } = await openStalled();
    stream.send({ data: 'x'.repeat(LARGE_CHARS) });
    await waitFor(() => stream.isBackedUp);
    const { writableLength } = responses[0]!;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(responses[0]!.writableLength).toBe(writableLength);
    socket.destroy();
  });

  it('is disconnected after the stall time, noticed by a later event', async () => {
    options.stallMillis = 200;
    const { socket, stream } = await openStalled();
    await waitFor(() => {
      stream.send({ data: stream.isBackedUp ? 'x' : 'x'.repeat(1_000_000) });
      return ended.has(stream);
    });
    expect(responses[0]!.destroyed).toBe(true);
    socket.destroy();
  });

  it('is disconnected after the stall time, noticed by the heartbeat', async () => {
    options = { heartbeatMillis: 20, stallMillis: 200 };
    const { socket, stream } = await openStalled();
    stream.send({ data: 'x'.repeat(LARGE_CHARS) });
    await waitFor(() => ended.has(stream));
    expect(responses[0]!.destroyed).toBe(true);
    socket.destroy();
  });

  it('is disconnected when it does not take the end of the stream', async () => {
    options.stallMillis = 200;
    const { socket, stream } = await openStalled();
    stream.send({ data: 'x'.repeat(LARGE_CHARS) });
    stream.end();
    await waitFor(() => responses[0]!.destroyed);
    let takenChars = 0;
    socket.on('data', (chunk) => (takenChars += chunk.length)).resume();
    await once(socket, 'close');
    expect(takenChars).toBeLessThan(LARGE_CHARS);
  });
});

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type HttpException } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { BodyMemory } from './body-memory';
import { BodyReader } from './body-reader';

const LIMIT_BYTES = 1_000;
/** An address may use a quarter. */
const MEMORY_BYTES = 6_000;

describe('BodyReader', () => {
  let server: Server;
  let port: number;
  let memory: BodyMemory;
  /** Requests wait for this after their bodies were read. */
  let handling: Promise<void>;

  beforeEach(async () => {
    memory = new BodyMemory(MEMORY_BYTES);
    handling = Promise.resolve();
    const reader = new BodyReader(memory, { stallMillis: 100, arrivalMillis: 400 });
    server = createServer((incoming, response) => {
      const address = String(incoming.headers['x-address'] ?? 'one');
      const asked = Object.assign(incoming, { ip: address }) as unknown as Request;
      reader
        .read(asked, response as unknown as Response, LIMIT_BYTES)
        .then(async (body) => {
          await handling;
          response.end(`read ${body.toString()}`);
        })
        .catch((error: HttpException) => response.writeHead(error.getStatus()).end(error.message));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function begin(headers: Record<string, string | number> = {}) {
    const sent = request({ port, method: 'POST', headers });
    sent.on('error', () => undefined);
    return sent;
  }
  async function answerOf(sent: ReturnType<typeof begin>) {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return [response.statusCode, await text(response)];
  }
  function send(body: Buffer | string, headers: Record<string, string | number> = {}) {
    const sent = begin(headers);
    sent.end(body);
    return answerOf(sent);
  }

  it.each([
    ['identity', (body: string) => Buffer.from(body)],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('reads a body with the encoding %s', async (encoding, encode) => {
    expect(await send(encode('hello'), { 'Content-Encoding': encoding })).toEqual([200, 'read hello']);
  });

  it.each(['compress', 'constructor'])('refuses the encoding %s', async (encoding) => {
    expect((await send('x', { 'Content-Encoding': encoding }))[0]).toBe(415);
  });

  it('refuses what is not compressed as announced', async () => {
    expect((await send('plain', { 'Content-Encoding': 'gzip' }))[0]).toBe(400);
  });

  it('refuses an announced length above the limit without reading', async () => {
    const sent = begin({ 'Content-Length': LIMIT_BYTES + 1 });
    sent.flushHeaders();
    expect((await answerOf(sent))[0]).toBe(413);
  });

  it('refuses a body that grows or decompresses beyond the limit', async () => {
    const large = 'x'.repeat(LIMIT_BYTES + 1);
    expect((await send(large, { 'Transfer-Encoding': 'chunked' }))[0]).toBe(413);
    expect((await send(gzipSync(large), { 'Content-Encoding': 'gzip' }))[0]).toBe(413);
    expect((await send(large.slice(1)))[0]).toBe(200);
  });

  it('ends a body that stalls', async () => {
    const sent = begin({ 'Content-Length': 10 });
    sent.write('first');
    expect(await answerOf(sent)).toEqual([408, 'the request took too long to arrive']);
  });

  it('ends a body that never stalls and never ends', async () => {
    const sent = begin({ 'Transfer-Encoding': 'chunked' });
    const drip = setInterval(() => sent.write('x'), 20);
    expect((await answerOf(sent))[0]).toBe(408);
    clearInterval(drip);
  });

  it('holds so many bytes of one address, and so many of all, until the answers', async () => {
    let finish = () => {};
    handling = new Promise((resolve) => (finish = resolve));
    const body = 'x'.repeat(LIMIT_BYTES);
    const addresses = ['one', 'two', 'three', 'four', 'five', 'six'];
    const running = addresses.map((address) => send(body, { 'X-Address': address }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await send(body, { 'X-Address': 'one' }))[0]).toBe(429);
    expect((await send(body, { 'X-Address': 'seven' }))[0]).toBe(503);
    finish();
    for (const answer of running) expect((await answer)[0]).toBe(200);
    expect((await send(body, { 'X-Address': 'one' }))[0]).toBe(200);
  });
});

import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type HttpException } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { waitFor } from '@inference/testing';
import { type ArrivalLimits, BodyMemory } from './body-memory';
import { addressGroup, BodyReader } from './body-reader';

const LIMIT_BYTES = 1_000;
/** An address may use a quarter. */
const MEMORY_BYTES = 6_000;

describe('BodyReader', () => {
  let server: Server;
  let port: number;
  let memory: BodyMemory;
  /** Requests wait for this after their bodies were read. */
  let handling: Promise<void>;
  let readBodies: number;
  let arrivalLimits: ArrivalLimits;

  beforeEach(async () => {
    memory = new BodyMemory(MEMORY_BYTES);
    handling = Promise.resolve();
    readBodies = 0;
    arrivalLimits = { stallMillis: 60_000, graceMillis: 60_000, leastBytesPerSecond: 1, totalMillis: 60_000 };
    server = createServer((incoming, response) => {
      const address = String(incoming.headers['x-address'] ?? 'one');
      const asked = Object.assign(incoming, { ip: address }) as unknown as Request;
      new BodyReader(memory, arrivalLimits)
        .read(asked, response as unknown as Response, LIMIT_BYTES)
        .then(async (body) => {
          readBodies++;
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
    arrivalLimits.stallMillis = 100;
    const sent = begin({ 'Content-Length': 10 });
    sent.write('first');
    expect(await answerOf(sent)).toEqual([408, 'the request took too long to arrive']);
  });

  it('ends a body that never stalls and never ends', async () => {
    arrivalLimits.totalMillis = 300;
    const sent = begin({ 'Transfer-Encoding': 'chunked' });
    const drip = setInterval(() => sent.write('x'), 20);
    expect((await answerOf(sent))[0]).toBe(408);
    clearInterval(drip);
  });

  it('ends a body that arrives too slowly', async () => {
    Object.assign(arrivalLimits, { graceMillis: 200, leastBytesPerSecond: 200 });
    const sent = begin({ 'Transfer-Encoding': 'chunked' });
    const startedAt = performance.now();
    const drip = setInterval(() => sent.write('x'), 20);
    expect(await answerOf(sent)).toEqual([408, 'the request took too long to arrive']);
    clearInterval(drip);
    expect(performance.now() - startedAt).toBeGreaterThan(200);
  });

  it('reads a body that arrives fast enough, however long it takes', async () => {
    Object.assign(arrivalLimits, { graceMillis: 200, leastBytesPerSecond: 1 });
    const sent = begin({ 'Transfer-Encoding': 'chunked' });
    const answer = answerOf(sent);
    for (let written = 0; written < 20; written++) {
      sent.write('twenty bytes a piece');
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    sent.end();
    expect((await answer)[0]).toBe(200);
  });

  it('ends a body whose time is over before it could stall', async () => {
    arrivalLimits.totalMillis = 100;
    const sent = begin({ 'Content-Length': 10 });
    sent.write('first');
    expect((await answerOf(sent))[0]).toBe(408);
  });

  /** A body that arrives with its headers is read at once; one that arrives in parts is collected. */
  const WAYS = {
    'at once': send,
    'in parts': async (body: string, headers: Record<string, string | number>) => {
      const sent = begin(headers);
      const answer = answerOf(sent);
      sent.write(body.slice(0, 10));
      await new Promise((resolve) => setTimeout(resolve, 20));
      sent.end(body.slice(10));
      return answer;
    },
  };
  const ways = Object.keys(WAYS) as (keyof typeof WAYS)[];

  it.each(ways)('refuses a body of unknown length above the limit, sent %s', async (way) => {
    const headers = { 'Transfer-Encoding': 'chunked' };
    expect((await WAYS[way]('x'.repeat(LIMIT_BYTES + 1), headers))[0]).toBe(413);
    expect(await WAYS[way]('hello world, again', headers)).toEqual([200, 'read hello world, again']);
  });

  it.each(ways)(
    'holds so many bytes of one address, and so many of all, sent %s, until the answers',
    async (way) => {
      const send = WAYS[way];
      let finish = () => {};
      handling = new Promise((resolve) => (finish = resolve));
      const body = 'x'.repeat(LIMIT_BYTES);
      const addresses = ['one', 'two', 'three', 'four', 'five', 'six'];
      const length = { 'Content-Length': LIMIT_BYTES };
      const running = addresses.map((address) => send(body, { ...length, 'X-Address': address }));
      await waitFor(() => readBodies === addresses.length);
      expect((await send(body, { 'X-Address': 'one' }))[0]).toBe(429);
      expect((await send(body, { 'X-Address': 'seven' }))[0]).toBe(503);
      finish();
      for (const answer of running) expect((await answer)[0]).toBe(200);
      expect((await send(body, { 'X-Address': 'one' }))[0]).toBe(200);
    },
  );

  it('takes no memory for a body that is still decompressed when the connection ends', async () => {
    const body = gzipSync('x'.repeat(LIMIT_BYTES));
    server.once('request', (incoming: IncomingMessage) =>
      incoming.once('end', () => incoming.socket.destroy()),
    );
    const sent = begin({ 'Content-Encoding': 'gzip' });
    sent.end(body);
    await new Promise((resolve) => sent.once('close', resolve));
    await waitFor(async () => (await send(body, { 'Content-Encoding': 'gzip' }))[0] === 200);
  });

  it('leaves no listeners on a connection that stays open', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    const listeners = () => sockets[0]!.listenerCount('close');
    const post = async () => {
      const sent = request({ port, method: 'POST', agent });
      sent.end('body');
      expect(await answerOf(sent)).toEqual([200, 'read body']);
    };
    await post();
    await waitFor(() => listeners() === 1);
    await post();
    await post();
    await waitFor(() => listeners() === 1);
    expect(sockets).toHaveLength(1);
    agent.destroy();
  });
});

describe('addressGroup', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['0000:0000:0000:0000:0000:ffff:c000:0207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8::3:4:5:6', '2001:db8::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b::/64'],
    ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4::/64'],
    ['::ffff:1:2:3', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['unknown', 'unknown'],
    ['no:address', 'no:address'],
    ['', ''],
    [undefined, ''],
  ])('of %s is %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  it('is short whatever a proxy forwards', () => {
    expect(addressGroup('x'.repeat(5_000))).toHaveLength(64);
    expect(addressGroup(`:${'x'.repeat(5_000)}`)).toHaveLength(64);
  });
});

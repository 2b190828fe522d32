import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { hangUpUnread, leaveBodiesUnread, streamTo } from './unread-bodies';

const failing = () =>
  new Writable({ write: (_chunk, _encoding, callback) => callback(new Error('too large')) });

describe('bodies that nobody has read', () => {
  let server: Server;
  let port: number;

  /** Answers `/read` when the whole body is there, `/broken` when it has begun, everything else at once: `/begun` while it is read. */
  beforeAll(async () => {
    server = createServer((incoming, response) => {
      const isLingering = incoming.url === '/lingering' || incoming.url === '/begun';
      const hangUp = isLingering ? hangUpUnread() : hangUpUnread(50);
      hangUp(incoming, response, () => {
        if (incoming.url === '/broken')
          // A stage that fails ends all of its pipeline, the request included.
          void pipeline(incoming, failing()).catch(() => response.writeHead(403).end('no'));
        else if (incoming.url !== '/read') {
          if (incoming.url === '/begun') incoming.pipe(new PassThrough());
          response.writeHead(403).end('no');
        } else {
          if (incoming.headers.expect) response.writeContinue();
          void text(incoming).then(
            (body) => response.end(body),
            () => undefined,
          );
        }
      });
    });
    leaveBodiesUnread(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const begin = (path: string, headers: Record<string, string> = {}) =>
    request({ port, path, method: 'PUT', headers: { 'Content-Length': 10, ...headers } });
  async function answerOf(sent: ReturnType<typeof begin>) {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return [response.statusCode, await text(response)];
  }

  it('a body that a handler reads may take its time', async () => {
    const sent = begin('/read');
    sent.write('first');
    await new Promise((resolve) => setTimeout(resolve, 200));
    sent.end('-last');
    expect(await answerOf(sent)).toEqual([200, 'first-last']);
  });

  it.each(['/refused', '/broken'])('%s unread are hung up on, after the answer', async (path) => {
    const sent = begin(path);
    sent.on('error', () => undefined);
    sent.write('first');
    const closed = once(sent, 'close');
    expect(await answerOf(sent)).toEqual([403, 'no']);
    await closed;
  });

  it.each(['/lingering', '/begun'])(
    'the connection of a large one to %s serves the next request',
    async (path) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const body = Buffer.alloc(500_000);
      const sockets = new Set();
      for (let turn = 0; turn < 2; turn++) {
        const sent = request({ port, path, method: 'PUT', agent });
        sent.once('socket', (socket) => sockets.add(socket));
        sent.end(body);
        expect(await answerOf(sent)).toEqual([403, 'no']);
      }
      expect(sockets.size).toBe(1);
      agent.destroy();
    },
  );

  it.each([
    ['/refused', false],
    ['/read', true],
  ])('bodies to %s with Expect: 100-continue get 100 Continue: %s', async (path, isTold) => {
    const sent = begin(path, { Expect: '100-continue' });
    let wasTold = false;
    sent.on('continue', () => (wasTold = true));
    sent.on('error', () => undefined);
    sent.flushHeaders();
    if (isTold) await once(sent, 'continue');
    else await once(sent, 'response');
    sent.destroy();
    expect(wasTold).toBe(isTold);
  });

  it('an answer reaches a client that wants the connection closed and still sends', async () => {
    const answered = new Promise<void>((resolve) =>
      server.once('request', (_incoming, response) => response.once('finish', resolve)),
    );
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'PUT /lingering HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: 1000\r\n\r\nfirst',
    );
    await answered;
    // Data that reaches a closed socket is answered with a reset, which takes away what was not read yet.
    for (let part = 0; part < 5; part += 1) {
      socket.write('more');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 [^]*no/);
    socket.destroy();
  });
});

it('a stream that is sent listens to its response no more often than that admits', async () => {
  const known = 5;
  let counts: [listeners: number, most: number] | undefined;
  const server = createServer((_incoming, response) => {
    for (let i = 0; i < known; i++) response.once('close', () => undefined);
    const content = new PassThrough();
    void streamTo(response, content);
    counts = [response.listenerCount('close'), response.getMaxListeners()];
    content.end('sent');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await answer.text()).toBe('sent');
  server.close();
  const [listeners, most] = counts!;
  expect(listeners).toBeGreaterThan(known);
  expect(listeners).toBeLessThanOrEqual(most);
});

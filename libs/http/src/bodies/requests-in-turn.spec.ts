import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { waitFor } from '@inference/testing';
import { serveInTurn } from './requests-in-turn';

const MOST_WAITING = 100;

let server: Server;
let client: Socket;
let served: { request: IncomingMessage; response: ServerResponse }[];

beforeEach(async () => {
  served = [];
  server = createServer((request, response) => served.push({ request, response }));
  serveInTurn(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
});
afterEach(() => {
  client.destroy();
  server.close();
  server.closeAllConnections();
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const paths = () => served.map(({ request }) => request.url);
/** Answers a request when its turn has come. */
async function answer(at: number): Promise<void> {
  const { response } = await waitFor(() => served[at]);
  response.end(paths()[at]);
}

async function received(last: string): Promise<string[]> {
  let all = '';
  client.on('data', (chunk: Buffer) => (all += chunk.toString()));
  await waitFor(() => all.endsWith(last));
  return [...all.matchAll(/\r\n\r\n(\/[a-z]+)/g)].map(([, body]) => body!);
}

it('serves requests that are sent together one after another', async () => {
  client.write(get('/a') + post('/b', 'body') + get('/c'));
  await waitFor(() => served.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(paths()).toEqual(['/a']);
  const bodies = received('/c');
  await answer(0);
  await waitFor(() => served.length === 2);
  expect(await text(served[1]!.request)).toBe('body');
  expect(paths()).toEqual(['/a', '/b']);
  await answer(1);
  await answer(2);
  expect(await bodies).toEqual(['/a', '/b', '/c']);
  client.write(get('/d'));
  await waitFor(() => served.length === 4);
});

it('serves a body that arrives after its turn', async () => {
  const [head, body] = [post('/b', 'x'.repeat(1_000_000)).slice(0, -999_000), 'x'.repeat(999_000)];
  client.write(get('/a') + head);
  await waitFor(() => served.length > 0);
  client.write(body + get('/c'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await answer(0);
  const { request } = await waitFor(() => served[1]);
  expect((await text(request)).length).toBe(1_000_000);
  await answer(1);
  await waitFor(() => served.length === 3);
});

it('forgets those whose client has left', async () => {
  client.write(get('/a') + get('/b') + get('/c'));
  await waitFor(() => served.length > 0);
  const closed = once(served[0]!.response, 'close');
  client.destroy();
  await closed;
  await answer(0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(paths()).toEqual(['/a']);
});

it('closes a connection with too many, and serves as many as may wait', async () => {
  client.write(get('/first') + get('/waiting').repeat(MOST_WAITING - 1) + get('/last'));
  await waitFor(() => served.length > 0);
  const last = received('/last');
  for (let at = 0; at <= MOST_WAITING; at++) await answer(at);
  expect(await last).toHaveLength(MOST_WAITING + 1);
  const closed = once(client, 'close');
  client.write(get('/first') + get('/waiting').repeat(MOST_WAITING + 1));
  await closed;
  expect(served).toHaveLength(MOST_WAITING + 2);
});

it('serves each in its own context', async () => {
  const context = new AsyncLocalStorage<string>();
  const found: unknown[] = [];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    found.push(context.getStore());
    context.run(request.url!, () => response.end(request.url));
  });
  serveInTurn(server);
  const bodies = received('/b');
  client.write(get('/a') + get('/b'));
  expect(await bodies).toEqual(['/a', '/b']);
  expect(found).toEqual([undefined, undefined]);
});

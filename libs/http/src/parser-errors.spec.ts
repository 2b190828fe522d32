import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { answerParserErrors } from './parser-errors';

let server: Server;
beforeAll(async () => {
  server = createServer((_request, response) => response.end('fine'));
  answerParserErrors(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

function send(text: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(text);
  return new Promise((resolve, reject) => {
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString()));
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}

it.each([
  ['what is no HTTP', 'nonsense\r\n\r\n', 400],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n', 400],
  ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
])('answers %s with {error}', async (_what, text, status) => {
  const answer = await send(text);
  expect(answer.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
  const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  expect(body).toEqual({ error: expect.any(String) as string });
});

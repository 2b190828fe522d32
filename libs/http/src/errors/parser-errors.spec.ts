import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { answerParserErrors } from './parser-errors';

let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/endless') response.write('first part');
    else response.end('fine');
  });
  answerParserErrors(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

function send(text: string, port = (server.address() as AddressInfo).port): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  return new Promise((resolve, reject) => {
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString()));
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}

it('adds nothing to an answer that is under way', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let answer = '';
  const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => undefined));
  socket.on('data', (bytes) => {
    if (!answer.includes('first part')) socket.write('nonsense\r\n\r\n');
    answer += bytes.toString();
  });
  socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
  await closed;
  expect(answer).toContain('first part');
  expect(answer).not.toContain('400');
});

it('lets the pages of allowed origins read the error, those alone', async () => {
  const allowing = createServer();
  answerParserErrors(allowing, ['https://console.example.com']);
  await new Promise<void>((resolve) => allowing.listen(0, '127.0.0.1', resolve));
  const { port } = allowing.address() as AddressInfo;
  const ask = (origin: string) => send(`GET / HTTP/1.1\r\nOrigin: ${origin}\r\nX: a\0b\r\n\r\n`, port);
  const allowed = await ask('https://console.example.com');
  expect(allowed).toContain('\r\nAccess-Control-Allow-Origin: https://console.example.com\r\n');
  const refused = await ask('https://console.example.com.evil.example');
  expect(refused).toMatch(/^HTTP\/1.1 400 [\s\S]*\r\nVary: Origin\r\n/);
  expect(refused).not.toContain('Access-Control');
  allowing.close();
});

it('answers a request that takes too long to arrive, as the service wants it', async () => {
  const hasty = createServer({ connectionsCheckingInterval: 10, headersTimeout: 20, requestTimeout: 20 });
  answerParserErrors(hasty, undefined, {
    parserErrorBody: (status, message) => ({ status, message }),
    newRequestId: () => 'req_1',
  });
  await new Promise<void>((resolve) => hasty.listen(0, '127.0.0.1', resolve));
  const answer = await send('GET / HTTP/1.1\r\n', (hasty.address() as AddressInfo).port);
  hasty.close();
  const body = { status: 408, message: 'the request took too long to arrive' };
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*X-Request-Id: req_1\r\n/);
  expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe(JSON.stringify(body));
});

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

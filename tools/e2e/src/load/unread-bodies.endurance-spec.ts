import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

const CONNECTIONS = 200;
const ANNOUNCED_BYTES = 32 * 1024 * 1024;
const SENT_BYTES = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'x');
/** The largest growth of a process. Before bodies waited for their credential, twenty connections held 550 MB. */
const MAX_GROWTH_MEBIBYTES = 50;
/** Within the limit of a public route. */
const SINGLE_BYTES = 10_000;

const residentMebibytes = ({ pid }: ServiceProcess): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

/** Announces a large body, sends a part of it as fast as the service takes it, and then stays open. */
function sendPart({ url }: ServiceProcess, path: string): { socket: Socket; answer: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${ANNOUNCED_BYTES}\r\n\r\n`,
  );
  let left = SENT_BYTES;
  const push = () => {
    while (left > 0 && socket.writable) {
      left -= PIECE.length;
      if (!socket.write(PIECE)) return;
    }
  };
  socket.on('drain', push).on('error', () => undefined);
  push();
  const answer = new Promise<string>((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes.toString().split('\r\n', 1)[0]!));
    socket.once('close', () => resolve('closed'));
  });
  return { socket, answer };
}

/** Sends a body of single bytes, each in a chunk of its own, and never ends it. */
function sendSingleBytes({ url }: ServiceProcess, path: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  socket.write('1\r\nx\r\n'.repeat(SINGLE_BYTES));
  socket.on('error', () => undefined).resume();
  return socket;
}

describe('bodies that nobody has a credential for', () => {
  let database: TestDatabase;
  let site: Site;
  const services: Record<string, ServiceProcess> = {};

  beforeAll(async () => {
    database = await createTestDatabase();
    site = new Site(database);
    services.console = await site.startConsole();
    services.gateway = await site.startGateway({ url: 'http://127.0.0.1:9' });
    for (const app of ['training', 'router-cost', 'agent', 'memo', 'agent-environments'] as const)
      services[app] = await site.startPlain(
        app,
        app === 'agent-environments' ? { API_KEY: 'k'.repeat(32) } : {},
      );
  });
  afterAll(async () => {
    await site.stop();
    await database.drop();
  });

  it.each([
    ['console', '/api/api-keys', '401'],
    ['console', '/api/auth/login', '413'],
    ['console', '/api/billing/webhooks/card_provider', '413'],
    ['gateway', '/v1/chat/completions', '401'],
    ['training', '/v1/internal/usage', '401'],
    ['router-cost', '/v1/router/cost', '405'],
    ['agent', '/v1/agents/sessions/s/events', '401'],
    ['memo', '/v1/workspaces/ws_1/documents', '401'],
    ['memo', '/v1/workspaces/ws_1/chat', '401'],
    ['agent-environments', '/v1/agents/environments', '401'],
  ])('%s answers %s with %s and does not keep them', async (name, path, status) => {
    const service = services[name]!;
    // The first requests load code and grow the heap, whatever they send.
    const first = Array.from({ length: 50 }, () => sendPart(service, path));
    await Promise.all(first.map(({ answer }) => answer));
    const before = residentMebibytes(service);
    const sent = Array.from({ length: CONNECTIONS }, () => sendPart(service, path));
    for (const { answer } of sent) expect(await answer).toContain(` ${status} `);
    let largest = 0;
    for (let look = 0; look < 10; look++) {
      largest = Math.max(largest, residentMebibytes(service));
      await wait(100);
    }
    for (const { socket } of [...first, ...sent]) socket.destroy();
    expect(largest - before).toBeLessThan(MAX_GROWTH_MEBIBYTES);
  });

  it('that come byte by byte are not kept chunk by chunk', async () => {
    const service = services.console!;
    const first = Array.from({ length: 20 }, () => sendSingleBytes(service, '/api/auth/login'));
    await wait(1_000);
    const before = residentMebibytes(service);
    const sent = Array.from({ length: CONNECTIONS }, () => sendSingleBytes(service, '/api/auth/login'));
    await waitFor(async () => (await fetch(`${service.url}/healthz`)).ok);
    await wait(2_000);
    const growth = residentMebibytes(service) - before;
    for (const socket of [...first, ...sent]) socket.destroy();
    expect(growth).toBeLessThan(MAX_GROWTH_MEBIBYTES);
  });

  it.each([
    ['console', '/api/api-keys'],
    ['gateway', '/v1/chat/completions'],
    ['training', '/v1/internal/usage'],
    ['agent', '/v1/agents/sessions/s/events'],
    ['memo', '/v1/workspaces/ws_1/chat'],
    ['agent-environments', '/v1/agents/environments'],
  ])('%s judges the credential of %s before the body', async (name, path) => {
    const faulty: [type: string, body: string][] = [
      ['application/json', '{'],
      ['text/plain', 'a=1'],
      ['application/json', JSON.stringify('x'.repeat(1_200_000))],
    ];
    for (const [type, body] of faulty) {
      const headers = { 'Content-Type': type };
      expect((await fetch(services[name]!.url + path, { method: 'POST', headers, body })).status).toBe(401);
    }
  });
});

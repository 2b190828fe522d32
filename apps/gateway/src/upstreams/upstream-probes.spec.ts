import { waitFor } from '@inference/testing';
import { CredentialSeal, type DirectoryUpstream } from '@inference/serving';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ServingDirectory } from './directory.service';
import { MAX_CONNECTIONS, Upstream } from './upstream';
import { Cancellation } from './upstream-call';
import { UpstreamProbes } from './upstream-probes.service';

const CONFIG = {
  timeouts: { connectMillis: 60_000, firstByteMillis: 1_000, idleMillis: 1_000 },
  timeZone: 'UTC',
  mayBePrivate: () => true,
};
/** Until calls that hang time out. */
const HANGING_MILLIS = 40_000;
const seal = new CredentialSeal([Buffer.alloc(32)]);
const probes = new UpstreamProbes({} as ServingDirectory, CONFIG);
const servers: Server[] = [];
const upstreams: Upstream[] = [];

/** An upstream at a server that answers so. */
async function upstreamOf(answer: RequestListener, timeoutMillis = 1_000): Promise<Upstream> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const options = {
    id: 'ups_1',
    name: 'u',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    credentials: [] as string[],
    costPrices: null,
    credentialHeader: 'authorization',
    protocols: ['chat'],
    firstByteTimeoutMs: timeoutMillis,
  } as DirectoryUpstream;
  const upstream = new Upstream(options, CONFIG, seal);
  upstreams.push(upstream);
  return upstream;
}

afterAll(async () => {
  await probes.onApplicationShutdown();
  await Promise.all(upstreams.map((upstream) => upstream.close()));
  await Promise.all(
    servers.map((server) => {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      return closed;
    }),
  );
});

describe('a probe', () => {
  it('leaves an upstream without an answer alone, at the second failure in a row', async () => {
    const dead = await upstreamOf((request) => void request.socket.destroy());
    const { circuit } = dead.figuresOf('m');
    await probes.probe(dead);
    expect([dead.isUp, circuit.state(performance.now())]).toEqual([false, 'closed']);
    await probes.probe(dead);
    expect(circuit.state(performance.now())).toBe('open');
  });

  it('finds a server alive that answers with an error', async () => {
    const odd = await upstreamOf((_request, response) => void response.writeHead(501).end());
    const { circuit } = odd.figuresOf('m');
    for (let turn = 0; turn < 2; turn++) await probes.probe(odd);
    expect([odd.isUp, circuit.state(performance.now())]).toEqual([true, 'closed']);
  });

  it('reaches a server of which all connections for calls hang', async () => {
    let hanging = 0;
    const busy = await upstreamOf((request, response) => {
      if (request.method === 'GET') return void response.end('{"data":[]}');
      hanging++;
    }, HANGING_MILLIS);
    const cancellations = Array.from({ length: MAX_CONNECTIONS }, () => new Cancellation());
    for (const cancellation of cancellations) {
      const call = busy.post(
        undefined,
        'chat/completions',
        Buffer.from('{}'),
        'req_1',
        cancellation,
        () => undefined,
      );
      call.head.catch(() => undefined);
    }
    await waitFor(async () => hanging === MAX_CONNECTIONS, 20_000);
    const since = performance.now();
    await probes.probe(busy);
    expect(busy.isUp).toBe(true);
    // Not only when the calls have timed out.
    expect(performance.now() - since).toBeLessThan(HANGING_MILLIS / 2);
    for (const cancellation of cancellations) cancellation.abort();
  });
});

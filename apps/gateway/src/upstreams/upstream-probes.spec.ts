import { CredentialSeal, type DirectoryUpstream } from '@inference/serving';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ServingDirectory } from './directory.service';
import { Upstream } from './upstream';
import { UpstreamProbes } from './upstream-probes.service';

const CONFIG = {
  timeouts: { connectMillis: 1_000, firstByteMillis: 1_000, idleMillis: 1_000 },
  timeZone: 'UTC',
};
const seal = new CredentialSeal([Buffer.alloc(32)]);
const probes = new UpstreamProbes({} as ServingDirectory);
const servers: Server[] = [];
const upstreams: Upstream[] = [];

/** An upstream at a server that answers so. */
async function upstreamOf(answer: RequestListener): Promise<Upstream> {
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
});

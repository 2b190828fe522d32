import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { Metrics } from '@inference/http';
import { CredentialSeal, type DirectoryUpstream } from '@inference/serving';
import { waitFor } from '@inference/testing';
import { GatewayError, toOpenAiError } from '../errors/openai-error';
import { AnswerMemory } from './answer-memory';
import { OwnLimits } from './choice/own-limits.fixture';
import { ServingCatalogue, type ServingDirectory } from './directory.service';
import { MAX_CONNECTIONS, Upstream } from './upstream';
import { Cancellation } from './upstream-call';
import { type UpstreamLimits } from './upstream-limits';
import { type UpstreamMetrics } from './upstream-metrics';
import { type UnchargedCosts } from './uncharged-costs.service';
import { type UpstreamsConfig } from './upstreams.config';
import { UpstreamsService } from './upstreams.service';

/** What a client sees of a model with two upstreams, whatever is wrong with either. */

/** Of the one that hangs: on a busy machine the others may take longer. */
const HANG_MILLIS = 150;
const CONFIG = {
  timeouts: { connectMillis: 60_000, firstByteMillis: 60_000, idleMillis: 60_000 },
  timeZone: 'UTC',
  mayBePrivate: (origin: string) => origin.includes('://127.0.0.1:'),
};
const PAUSED_SECONDS = 200;
const LIMITED_SECONDS = 70;
const USED_SECONDS = 30;
const FAILURES_TO_OPEN = 3;
const seal = new CredentialSeal([Buffer.alloc(32)]);
const metrics = {
  countFallback: () => undefined,
  countRefusal: () => undefined,
  observeFirstByte: () => undefined,
} as unknown as UpstreamMetrics;

/** Answers that a test lets go. */
const held: (() => void)[] = [];
/** How an upstream answers if it is called. */
const SERVERS: Record<string, RequestListener> = {
  works: (_request, response) => void response.end('{"fine":true}'),
  fails: (_request, response) => void response.writeHead(500).end(),
  hangs: () => undefined,
  waits: (_request, response) => void held.push(() => response.end('{"fine":true}')),
  fallsSilent: (_request, response) => void response.write('{"fine":'),
  asksForPause: (_request, response) =>
    void response.writeHead(429, { 'Retry-After': String(LIMITED_SECONDS) }).end('{"error":{}}'),
};

interface Kind {
  server: keyof typeof SERVERS;
  settings?: Partial<DirectoryUpstream>;
  prepare?(upstream: Upstream, now: number): unknown;
}

const KINDS = {
  works: { server: 'works' },
  full: {
    server: 'works',
    prepare: ({ load }) => (load.limits = new OwnLimits(load, { running: 0 })),
  },
  /** All connections of the process are in use. */
  crowded: { server: 'works', prepare: ({ load }) => (load.running = MAX_CONNECTIONS) },
  /** Its limits are asked, and refuse. */
  used: {
    server: 'works',
    prepare: (upstream) =>
      upstream.obey({
        isFull: () => false,
        take: () => ({ waitMillis: USED_SECONDS * 1_000 }),
      } as unknown as UpstreamLimits),
  },
  open: {
    server: 'fails',
    prepare: (upstream, now) => {
      const { circuit } = upstream.figuresOf('m');
      for (let call = 0; call < FAILURES_TO_OPEN; call++) circuit.end(now, 'failed', circuit.begin(now));
    },
  },
  paused: {
    server: 'works',
    prepare: (upstream, now) => upstream.figuresOf('m').circuit.pause(now, PAUSED_SECONDS * 1_000),
  },
  asksForPause: { server: 'asksForPause' },
  draining: { server: 'works', settings: { state: 'draining' } },
  fails: { server: 'fails' },
  hangs: { server: 'hangs', settings: { firstByteTimeoutMs: HANG_MILLIS } },
  /** In the middle of its answer. */
  fallsSilent: { server: 'fallsSilent', settings: { idleTimeoutMs: HANG_MILLIS } },
} satisfies Record<string, Kind>;
type KindName = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as KindName[];

const row = (cells: string): string[] => cells.split(', ');

/**
 * Status and seconds of `Retry-After`; rows: the upstream that is called first, columns: the other one, in the order of the kinds. One
 * that works answers. One that only has no room now is a reason to come back, whatever is wrong with the other one; with the wait of
 * whichever is free first. Otherwise it is told how the last call failed.
 */
const SEEN: Record<KindName, string[]> = {
  // In the order of the kinds: works, full, crowded, used, open, paused, asksForPause, draining, fails, hangs, fallsSilent.
  works: row('200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200'),
  full: row('200, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1'),
  crowded: row('200, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1, 429 1'),
  used: row('200, 429 1, 429 1, 429 30, 429 30, 429 30, 429 30, 429 30, 429 30, 429 30, 429 30'),
  open: row('200, 429 1, 429 1, 429 30, 502, 429 200, 429 70, 502, 502, 502, 502'),
  paused: row('200, 429 1, 429 1, 429 30, 429 200, 429 200, 429 70, 429 200, 429 200, 429 200, 429 200'),
  asksForPause: row('200, 429 1, 429 1, 429 30, 429 70, 429 70, 429 70, 429 70, 429 70, 429 70, 429 70'),
  draining: row('200, 429 1, 429 1, 429 30, 502, 429 200, 429 70, 502, 502, 504, 504'),
  fails: row('200, 429 1, 429 1, 429 30, 502, 429 200, 429 70, 502, 502, 504, 504'),
  hangs: row('200, 429 1, 429 1, 429 30, 502, 429 200, 429 70, 504, 502, 504, 504'),
  fallsSilent: row('200, 429 1, 429 1, 429 30, 502, 429 200, 429 70, 504, 502, 504, 504'),
};

const servers = new Map<string, { server: Server; calls: number }>();
const upstreams: Upstream[] = [];

beforeAll(async () => {
  for (const [name, answer] of Object.entries(SERVERS)) {
    const known = { server: createServer(), calls: 0 };
    known.server.on('request', (request, response) => {
      known.calls++;
      // It has to be read for the connection to be used again.
      request.resume();
      response.setHeader('Content-Type', 'application/json');
      answer(request, response);
    });
    await new Promise<void>((resolve) => known.server.listen(0, '127.0.0.1', resolve));
    servers.set(name, known);
  }
});
afterAll(async () => {
  for (const { server } of servers.values()) {
    const closed = once(server, 'close');
    server.close().closeAllConnections();
    await closed;
  }
  await Promise.all(upstreams.map((upstream) => upstream.close()));
});

function urlOf(server: keyof typeof SERVERS): string {
  const { port } = servers.get(server)!.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/v1`;
}

function upstreamOf(name: KindName, priority: number, settings: Partial<DirectoryUpstream> = {}): Upstream {
  const kind: Kind = KINDS[name];
  const options = {
    ...{ id: `ups_${priority}`, name: `${name} ${priority}`, baseUrl: urlOf(kind.server) },
    ...{ credentials: [] as string[], credentialHeader: 'authorization', protocols: ['chat'] },
    ...{
      costPrices: null,
      state: 'active',
      requestsPerMinute: null,
      tokensPerMinute: null,
      concurrency: null,
    },
    models: [{ model: 'm', upstreamName: null, weight: 100, priority }],
    ...kind.settings,
    ...settings,
  } as unknown as DirectoryUpstream;
  const upstream = new Upstream(options, CONFIG, seal);
  kind.prepare?.(upstream, performance.now());
  upstreams.push(upstream);
  return upstream;
}

/** Seconds are counted in tens: some have passed since the pause began. */
const shown = (status: number, wait?: string) =>
  [status, ...(wait ? [Number(wait) < 10 ? wait : Math.ceil(Number(wait) / 10) * 10] : [])].join(' ');

/** Status and wait, as the client gets them. */
const seenOf = (first: KindName, second: KindName): Promise<string> =>
  answerOf([upstreamOf(first, 0), upstreamOf(second, 1)]);

async function answerOf(all: Upstream[]): Promise<string> {
  const catalogue = new ServingCatalogue({ models: [], upstreams: [] }, all);
  const service = new UpstreamsService(
    { current: () => catalogue } as unknown as ServingDirectory,
    metrics,
    new AnswerMemory({ answerMemoryBytes: 2 ** 28 } as UpstreamsConfig, new Metrics()),
    { record: () => undefined } as unknown as UnchargedCosts,
  );
  try {
    const answer = await service.ask({
      ...{ endpoint: 'chat/completions', models: ['m'], prefix: 1, requestId: 'req_1' },
      account: { id: 'acct_1', weight: () => 1 },
      size: { promptTokens: () => 1, outputTokens: 1, answers: 1 },
      bodyFor: () => Buffer.from('{}'),
      read: (body) => JSON.parse(body.toString()) as object,
      cancellation: new Cancellation(),
    });
    return shown(answer.status, answer.retryHeaders['retry-after']);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { status, headers } = toOpenAiError(error);
    return shown(status, headers['Retry-After']);
  }
}

it('tells the client of a model with two upstreams what to do', async () => {
  const rows = NAMES.map(async (first) => {
    const row = await Promise.all(NAMES.map((second) => seenOf(first, second)));
    return [first, row] as const;
  });
  expect(Object.fromEntries(await Promise.all(rows))).toEqual(SEEN);
});

it('gives up a server that takes no connection, and calls the other one', async () => {
  // It accepts the connection and is silent: TLS is never agreed on.
  const silent = createTcpServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
  const { port } = silent.address() as AddressInfo;
  const unconnected = () =>
    upstreamOf('works', 0, { baseUrl: `https://127.0.0.1:${port}/v1`, connectTimeoutMs: HANG_MILLIS });
  const since = performance.now();
  expect(await answerOf([unconnected(), upstreamOf('works', 1)])).toBe('200');
  expect(await answerOf([unconnected()])).toBe('504');
  // Its timers go by half seconds.
  expect(performance.now() - since).toBeLessThan(2 * (HANG_MILLIS + 2_000));
  await waitFor(() => sockets.length === 2);
  const closed = once(silent, 'close');
  silent.close();
  for (const socket of sockets) socket.destroy();
  await closed;
});

it('makes eight calls at a time of an upstream that is left alone, if no other can be called', async () => {
  const lost = upstreamOf('open', 0, { baseUrl: urlOf('waits') });
  let refused = 0;
  const calls = Array.from({ length: 12 }, async () => {
    const seen = await answerOf([lost]);
    if (seen === '502') refused++;
    return seen;
  });
  await waitFor(() => held.length === 8 && refused === 4);
  expect(await answerOf([lost, upstreamOf('works', 1)])).toBe('200');
  for (const answer of held.splice(0)) answer();
  const seen = await Promise.all(calls);
  expect(seen.sort()).toEqual([...new Array<string>(8).fill('200'), ...new Array<string>(4).fill('502')]);
});

it('connects to no private address that is not allowed, whatever its name was stored for', async () => {
  const works = servers.get('works')!;
  works.calls = 0;
  const { port } = works.server.address() as AddressInfo;
  const refused = () => upstreamOf('works', 0, { baseUrl: `http://localhost:${port}/v1` });
  expect(await answerOf([refused()])).toBe('502');
  expect(works.calls).toBe(0);
  expect(await answerOf([refused(), upstreamOf('works', 1)])).toBe('200');
  expect(works.calls).toBe(1);
});

it('calls none that has no room, and each other one once', async () => {
  const called = async (first: KindName, second: KindName) => {
    for (const server of servers.values()) server.calls = 0;
    await seenOf(first, second);
    return Object.fromEntries(
      [...servers].flatMap(([name, { calls }]) => (calls > 0 ? [[name, calls]] : [])),
    );
  };
  expect(await called('full', 'fails')).toEqual({ fails: 1 });
  expect(await called('used', 'fails')).toEqual({ fails: 1 });
  expect(await called('paused', 'open')).toEqual({ fails: 1 });
  expect(await called('paused', 'full')).toEqual({});
  expect(await called('draining', 'asksForPause')).toEqual({ asksForPause: 1 });
  expect(await called('fails', 'hangs')).toEqual({ fails: 1, hangs: 1 });
});

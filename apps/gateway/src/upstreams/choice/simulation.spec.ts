import { type Candidate, choose, isCandidate, lastResort, UpstreamLoad } from './chooser';
import { Circuit } from './circuit';
import { seedOf } from './prefix-hash';

/** Sites of virtual time, whose upstreams have caches of prefixes. Every number follows from the seeds. */

interface Site {
  upstreams: number;
  callsPerSecond: number;
  conversations: number;
}

const LARGE: Site = { upstreams: 200, callsPerSecond: 10_000, conversations: 30_000 };
const UPSTREAMS = LARGE.upstreams;
const CALLS_PER_SECOND = LARGE.callsPerSecond;
/** Its caches hold the conversations of a site together, but neither holds all. */
const SMALL: Site = { upstreams: 2, callsPerSecond: 100, conversations: 500 };
/** Conversations whose prefix an upstream keeps. */
const CACHE_SIZE = 300;
const HIT_MILLIS = 600;
const MISS_MILLIS = 1_400;
const REFUSAL_MILLIS = 1;
/** The bound is a whole number of about 60 calls, and the sum of running calls falls while some of them go on. */
const ROUNDING = 0.08;

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Server extends Candidate {
  index: number;
  cache: Set<number>;
  isDead: boolean;
  /** When calls reached it. */
  calls: number[];
}

type Policy = (servers: readonly Server[], key: number, now: number, tried?: ReadonlySet<Server>) => Server;

const ours: Policy = (servers, key, now, tried) => {
  const choice = choose(servers, key, now, tried);
  return isCandidate(choice) ? choice : lastResort(servers, now, tried)!;
};

interface Outcome {
  servers: Server[];
  hitShare: number;
  /** The largest load of an upstream over the fair share, at any sample after the start. */
  worstLoad: number;
  failed: number;
  /** When a call failed first. */
  firstFailure: number;
}

interface Simulation {
  site?: Site;
  policy: Policy;
  seconds: number;
  /** When the first upstream dies and when it works again, in milliseconds. */
  outage?: { from: number; until: number };
}

function simulate({ site = LARGE, policy, seconds, outage }: Simulation): Outcome {
  const random = randomOf(7);
  const servers = Array.from({ length: site.upstreams }, (_, index): Server => {
    const circuit = new Circuit(randomOf(index));
    const load = new UpstreamLoad();
    return {
      index,
      seed: seedOf(`gpu-${index}`),
      weight: 100,
      priority: 0,
      load,
      circuit,
      cache: new Set(),
      isDead: false,
      calls: [],
    };
  });
  // Ends of calls by their millisecond: all durations are whole.
  const ends = new Map<number, (() => void)[]>();
  const at = (millis: number, action: () => void) => {
    const list = ends.get(millis);
    if (list) list.push(action);
    else ends.set(millis, [action]);
  };
  let [hits, calls, failed, worstLoad, firstFailure, running, due] = [0, 0, 0, 0, Infinity, 0, 0];
  const call = (conversation: number, now: number, tried?: Set<Server>): void => {
    const server = policy(servers, conversation * 2_654_435_761, now, tried);
    server.calls.push(now);
    const opening = server.circuit.begin(now);
    server.load.begin(now);
    running++;
    const isHit = server.cache.delete(conversation);
    if (isHit) hits++;
    calls++;
    server.cache.add(conversation);
    if (server.cache.size > CACHE_SIZE) server.cache.delete(server.cache.values().next().value!);
    const spread = 0.5 + random();
    const millis = server.isDead ? REFUSAL_MILLIS : Math.ceil((isHit ? HIT_MILLIS : MISS_MILLIS) * spread);
    at(now + millis, () => {
      const end = now + millis;
      server.load.end();
      running--;
      server.circuit.end(end, server.isDead ? 'failed' : 'answered', opening);
      if (!server.isDead) return;
      firstFailure = Math.min(firstFailure, end);
      if (tried) failed++;
      else call(conversation, end, new Set([server]));
    });
  };
  for (let now = 0; now < seconds * 1_000; now++) {
    servers[0]!.isDead = outage !== undefined && now >= outage.from && now < outage.until;
    for (const action of ends.get(now) ?? []) action();
    ends.delete(now);
    for (due += site.callsPerSecond / 1_000; due >= 1; due--) {
      // Some conversations have far more turns than others.
      call(Math.floor(site.conversations * random() ** 2), now);
    }
    if (now < 3_000 || now % 50 !== 0) continue;
    const fair = running / site.upstreams;
    worstLoad = Math.max(worstLoad, ...servers.map(({ load }) => load.running / fair));
  }
  return { servers, hitShare: hits / calls, worstLoad, failed, firstFailure };
}

describe('200 upstreams and 10,000 calls a second', () => {
  it('finds far more prefixes in caches than policies that know none, at a bounded load', () => {
    const random = randomOf(1);
    let turn = 0;
    const others: Record<string, Policy> = {
      random: (servers) => servers[Math.floor(random() * UPSTREAMS)]!,
      roundRobin: (servers) => servers[turn++ % UPSTREAMS]!,
      leastLoaded: (servers) =>
        servers.reduce((least, server) => (server.load.running < least.load.running ? server : least)),
      pureHash: (servers, key) => servers[Math.abs(Math.imul(key, 0x9e3779b1) >> 8) % UPSTREAMS]!,
    };
    const seconds = 4;
    const own = simulate({ policy: ours, seconds });
    const results = Object.fromEntries(
      Object.entries(others).map(([name, policy]) => [name, simulate({ policy, seconds })]),
    );
    const { random: byChance, roundRobin, leastLoaded, pureHash } = results as Record<string, Outcome>;
    for (const blind of [byChance, roundRobin, leastLoaded])
      expect(own.hitShare).toBeGreaterThan(3 * blind!.hitShare);
    expect(own.hitShare).toBeGreaterThan(0.9 * pureHash!.hitShare);
    expect(own.worstLoad).toBeLessThan(1.25 + ROUNDING);
    expect(pureHash!.worstLoad).toBeGreaterThan(1.5);
  });

  it('leaves a dead upstream after three calls, loses none, and returns to it slowly', () => {
    const outage = { from: 1_000, until: 4_000 };
    const { servers, failed, firstFailure, worstLoad } = simulate({ policy: ours, seconds: 13, outage });
    const [dead] = servers as [Server];
    const after = dead.calls.filter((instant) => instant > firstFailure);
    const untilProbe = after.filter((instant) => instant < firstFailure + 5_000);
    expect(untilProbe.length).toBeLessThanOrEqual(3);
    expect(failed).toBe(0);
    const back = after.filter((instant) => instant >= outage.until);
    const perSecond = (from: number) => back.filter((i) => i >= from && i < from + 1_000).length;
    const fair = CALLS_PER_SECOND / UPSTREAMS;
    const first = back[0]!;
    expect(perSecond(first)).toBeLessThan(0.5 * fair);
    expect(perSecond(12_000)).toBeGreaterThan(0.5 * fair);
    expect(worstLoad).toBeLessThan(1.25 + ROUNDING);
  });
});

describe('two upstreams', () => {
  it('keep the prefixes of conversations that change their server at each turn otherwise, at an even load', () => {
    let turn = 0;
    const roundRobin: Policy = (servers) => servers[turn++ % 2]!;
    const seconds = 60;
    const own = simulate({ site: SMALL, policy: ours, seconds });
    const blind = simulate({ site: SMALL, policy: roundRobin, seconds });
    process.stdout.write(
      `Two upstreams: ${(own.hitShare * 100).toFixed(1)} % of the calls find their prefix, ${(blind.hitShare * 100).toFixed(1)} % by ` +
        `round robin; worst load ${own.worstLoad.toFixed(2)} and ${blind.worstLoad.toFixed(2)}\n`,
    );
    expect(own.hitShare).toBeGreaterThan(0.85);
    expect(own.hitShare).toBeGreaterThan(1.3 * blind.hitShare);
    const [one, other] = own.servers.map(({ calls }) => calls.length) as [number, number];
    expect(one / (one + other)).toBeGreaterThan(0.4);
    expect(one / (one + other)).toBeLessThan(0.6);
  });
});

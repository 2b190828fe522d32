import { type Candidate, choose, isCandidate, lastResort, UpstreamLoad } from './chooser';
import { Circuit } from './circuit';
import { seedOf } from './prefix-hash';

/** Sites of virtual time, whose upstreams have caches of prefixes. Every number follows from the seeds. */

interface Site {
  upstreams: number;
  callsPerSecond: number;
  conversations: number;
  weightOf?(index: number): number;
}

const LARGE: Site = { upstreams: 200, callsPerSecond: 10_000, conversations: 30_000 };
const UPSTREAMS = LARGE.upstreams;
const CALLS_PER_SECOND = LARGE.callsPerSecond;
/** Its caches hold the conversations of a site together, but neither holds all. */
const SMALL: Site = { upstreams: 2, callsPerSecond: 100, conversations: 500 };
const MIDDLING: Site = { upstreams: 20, callsPerSecond: 1_000, conversations: 10_000 };
/** Conversations whose prefix an upstream keeps. */
const CACHE_SIZE = 300;
const HIT_MILLIS = 600;
const MISS_MILLIS = 1_400;
const REFUSAL_MILLIS = 1;
/** The bound is a whole number of about 60 calls, and the sum of running calls falls while some of them go on. */
const ROUNDING = 0.08;

/** Every so many calls the bound is checked. */
const BOUND_SAMPLE = 20;

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
  /** How often an upstream got a call that had more than the bound already, while another one had less. */
  overBound: number;
  failed: number;
  /** When a call failed first. */
  firstFailure: number;
}

interface Simulation {
  site?: Site;
  policy: Policy;
  seconds: number;
  /** Whether the first upstream is dead at an instant in milliseconds. */
  isDead?(now: number): boolean;
  /** When a call of a dead upstream fails that hangs; absent: it refuses. */
  timeoutMillis?: number;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
/** ADR 72 has these figures. */
const tell = (text: string) => void process.stdout.write(`${text}\n`);

/** Whether an upstream runs more than 1.25 times its share, to the next whole call. */
function isOverBound(server: Server, servers: readonly Server[], now: number): boolean {
  const open = servers.filter(({ circuit }) => circuit.admits(now));
  const sum = (numberOf: (each: Server) => number) => open.reduce((total, each) => total + numberOf(each), 0);
  const shareOf = ({ weight, circuit }: Server) => weight * circuit.ramp(now);
  const all = sum(shareOf);
  const running = sum(({ load }) => load.running);
  const isOver = (each: Server) =>
    each.load.running > Math.ceil((1.25 * shareOf(each) * (running + 1)) / all);
  return open.includes(server) && isOver(server) && !open.every(isOver);
}

function simulate({
  site = LARGE,
  policy,
  seconds,
  isDead = () => false,
  timeoutMillis = REFUSAL_MILLIS,
}: Simulation): Outcome {
  const random = randomOf(7);
  const servers = Array.from({ length: site.upstreams }, (_, index): Server => {
    const circuit = new Circuit(randomOf(index));
    const load = new UpstreamLoad();
    return {
      index,
      seed: seedOf(`gpu-${index}`),
      weight: site.weightOf?.(index) ?? 100,
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
  let [hits, calls, failed, worstLoad, overBound, firstFailure, running, due] = [
    0,
    0,
    0,
    0,
    0,
    Infinity,
    0,
    0,
  ];
  const weights = servers.reduce((sum, { weight }) => sum + weight, 0);
  const call = (conversation: number, now: number, tried?: Set<Server>): void => {
    const server = policy(servers, conversation * 2_654_435_761, now, tried);
    if (calls % BOUND_SAMPLE === 0 && isOverBound(server, servers, now)) overBound++;
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
    const settle = (end: number, isLost: boolean) => {
      // The upstream has died under the call.
      if (server.isDead && end < now + timeoutMillis)
        return at(now + timeoutMillis, () => settle(now + timeoutMillis, true));
      server.load.end();
      running--;
      server.circuit.end(end, isLost ? 'lost' : 'answered', opening);
      if (!isLost) return;
      firstFailure = Math.min(firstFailure, end);
      if (tried) failed++;
      else call(conversation, end, new Set([server]));
    };
    const wasDead = server.isDead;
    const millis = wasDead ? timeoutMillis : Math.ceil((isHit ? HIT_MILLIS : MISS_MILLIS) * spread);
    at(now + millis, () => settle(now + millis, wasDead || server.isDead));
  };
  for (let now = 0; now < seconds * 1_000; now++) {
    servers[0]!.isDead = isDead(now);
    for (const action of ends.get(now) ?? []) action();
    ends.delete(now);
    for (due += site.callsPerSecond / 1_000; due >= 1; due--) {
      // Some conversations have far more turns than others.
      call(Math.floor(site.conversations * random() ** 2), now);
    }
    if (now < 3_000 || now % 50 !== 0) continue;
    const loads = servers.map(({ load, weight }) => load.running / ((running * weight) / weights));
    worstLoad = Math.max(worstLoad, ...loads);
  }
  return { servers, hitShare: hits / calls, worstLoad, overBound, failed, firstFailure };
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
    const seconds = Number(process.env.SIMULATION_SECONDS ?? 4);
    const own = simulate({ policy: ours, seconds });
    const results = Object.fromEntries(
      Object.entries(others).map(([name, policy]) => [name, simulate({ policy, seconds })]),
    );
    for (const [name, { hitShare, worstLoad: worst }] of Object.entries({ ours: own, ...results }))
      tell(
        `200 upstreams, ${name}: ${percent(hitShare)} of the calls find their prefix, worst load ${worst.toFixed(2)}`,
      );
    const { random: byChance, roundRobin, leastLoaded, pureHash } = results as Record<string, Outcome>;
    for (const blind of [byChance, roundRobin, leastLoaded])
      expect(own.hitShare).toBeGreaterThan(3 * blind!.hitShare);
    expect(own.hitShare).toBeGreaterThan(0.9 * pureHash!.hitShare);
    expect(own.worstLoad).toBeLessThan(1.25 + ROUNDING);
    expect(own.overBound).toBe(0);
    expect(pureHash!.overBound).toBeGreaterThan(100);
    expect(pureHash!.worstLoad).toBeGreaterThan(1.5);
  });

  it('leaves a dead upstream after three calls, loses none, and returns to it slowly', () => {
    const outage = { from: 1_000, until: 4_000 };
    const isDead = (now: number) => now >= outage.from && now < outage.until;
    const { servers, failed, firstFailure, worstLoad } = simulate({ policy: ours, seconds: 13, isDead });
    const [dead] = servers as [Server];
    const after = dead.calls.filter((instant) => instant >= firstFailure);
    const untilProbe = after.filter((instant) => instant < firstFailure + 5_000);
    tell(`A dead upstream of 200 gets ${untilProbe.length} calls after the first failure`);
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

describe('20 upstreams', () => {
  it('get calls by weights from 20 to 400, none more than its bound', () => {
    const weightOf = (index: number) => (index + 1) * 20;
    const { servers, overBound, worstLoad } = simulate({
      site: { ...MIDDLING, weightOf },
      policy: ours,
      seconds: 20,
    });
    const all = servers.reduce((sum, { calls }) => sum + calls.length, 0);
    const shares = servers.map(({ calls, weight }) => calls.length / all / (weight / 4_200));
    // One conversation is a hundredth of all calls, which is twice what the smallest one may take.
    expect(Math.min(...shares)).toBeGreaterThan(0.5);
    expect(Math.max(...shares)).toBeLessThan(1.35);
    expect(overBound).toBe(0);
    // The smallest one runs five calls at a time, of which one more is a fifth.
    expect(worstLoad).toBeLessThan(1.8);
  });

  it('go on beside one that hangs, which has no more than its bound and gets three calls after the first time-out', () => {
    const outage = { from: 5_000, until: 50_000 };
    const timeoutMillis = 10_000;
    const { servers, failed, firstFailure, overBound } = simulate({
      site: MIDDLING,
      policy: ours,
      seconds: 110,
      isDead: (now) => now >= outage.from && now < outage.until,
      timeoutMillis,
    });
    const [hanging, ...others] = servers as [Server, ...Server[]];
    const between = (from: number, until: number, { calls } = hanging) =>
      calls.filter((instant) => instant >= from && instant < until).length;
    // A call that began before the outage is the first one that fails.
    expect(firstFailure).toBeGreaterThan(outage.from + timeoutMillis - 2 * MISS_MILLIS);
    const [hung, late, trials] = [
      between(outage.from, firstFailure),
      between(firstFailure, firstFailure + 5_000),
      between(firstFailure + 5_000, outage.until),
    ];
    tell(
      `An upstream of 20 that hangs gets ${hung} calls until the first time-out, ${late} within 5 s after it, ${trials} in the rest of 45 s`,
    );
    // Its share of all running calls, of which 50 a second are its own otherwise.
    expect(hung).toBeLessThan(1.25 * 50 * 2);
    expect(late).toBeLessThanOrEqual(3);
    expect(trials).toBeLessThanOrEqual(4);
    expect(failed).toBe(0);
    expect(overBound).toBe(0);
    const perSecond = others.map((server) => between(outage.from, outage.until, server) / 45);
    expect(Math.max(...perSecond)).toBeLessThan(1.35 * (1_000 / 19));
    // Without a probe beside the calls it is tried a minute after the last failure at the latest.
    const back = hanging.calls.find((instant) => instant >= outage.until)!;
    expect(back).toBeLessThan(outage.until + 1.25 * 60_000);
    expect(between(back, back + 1_000)).toBeLessThan(25);
    expect(between(back + 12_000, back + 17_000) / 5).toBeGreaterThan(25);
  });

  it('go on beside one that dies for half of each second', () => {
    const { servers, failed, overBound, worstLoad } = simulate({
      site: MIDDLING,
      policy: ours,
      seconds: 60,
      isDead: (now) => now % 1_000 >= 500,
    });
    const [flapping, ...others] = servers as [Server, ...Server[]];
    expect(failed).toBe(0);
    const perSecond = others.map(({ calls }) => calls.length / 60);
    // Instead of 50 calls a second, which the others share.
    expect(flapping.calls.length / 60).toBeLessThan(2);
    expect(Math.max(...perSecond)).toBeLessThan(1.35 * 50);
    expect(overBound).toBe(0);
    expect(worstLoad).toBeLessThan(1.5);
  });
});

describe('two upstreams', () => {
  it('keep the prefixes of conversations that change their server at each turn otherwise, at an even load', () => {
    let turn = 0;
    const roundRobin: Policy = (servers) => servers[turn++ % 2]!;
    const seconds = 60;
    const own = simulate({ site: SMALL, policy: ours, seconds });
    const blind = simulate({ site: SMALL, policy: roundRobin, seconds });
    tell(
      `Two upstreams: ${percent(own.hitShare)} of the calls find their prefix, ${percent(blind.hitShare)} by round robin; ` +
        `worst load ${own.worstLoad.toFixed(2)} and ${blind.worstLoad.toFixed(2)}`,
    );
    expect(own.hitShare).toBeGreaterThan(0.85);
    expect(own.hitShare).toBeGreaterThan(1.3 * blind.hitShare);
    const [one, other] = own.servers.map(({ calls }) => calls.length) as [number, number];
    expect(one / (one + other)).toBeGreaterThan(0.4);
    expect(one / (one + other)).toBeLessThan(0.6);
  });
});

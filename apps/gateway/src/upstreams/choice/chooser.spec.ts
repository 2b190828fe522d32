import { type Candidate, choose, isCandidate, lastResort, UpstreamLoad } from './chooser';
import { type CallEnd, Circuit } from './circuit';
import { OwnLimits } from './own-limits.fixture';
import { prefixHash, seedOf } from './prefix-hash';
import { RetryBudget } from './retry-budget';

interface Named extends Candidate {
  name: string;
}

const upstream = (name: string, weight = 100, priority = 0): Named => ({
  name,
  seed: seedOf(name),
  weight,
  priority,
  load: new UpstreamLoad(),
  circuit: new Circuit(() => 0),
});

const keyOf = (conversation: number) =>
  prefixHash('acc_1', { messages: [{ role: 'user', content: `conversation ${conversation}` }] });
const chosen = (candidates: Named[], key: number, now = 0, tried?: Set<Named>): string => {
  const choice = choose(candidates, key, now, tried);
  return isCandidate(choice) ? choice.name : choice.reason;
};
function fail({ circuit }: Named, now: number, end: CallEnd = 'failed'): void {
  circuit.end(now, end, circuit.begin(now));
}
function open(candidate: Named, now: number, end?: CallEnd): void {
  for (let call = 0; call < 3; call++) fail(candidate, now, end);
}
function answer({ circuit }: Named, now: number): void {
  circuit.end(now, 'answered', circuit.begin(now));
}

describe('the choice of an upstream', () => {
  it('holds weights over distinct prefixes, and keeps a prefix', () => {
    const both = [upstream('a', 90), upstream('b', 10)];
    const counts = { a: 0, b: 0 };
    for (let conversation = 0; conversation < 10_000; conversation++) {
      const name = chosen(both, keyOf(conversation)) as 'a' | 'b';
      counts[name]++;
      expect(chosen(both, keyOf(conversation))).toBe(name);
    }
    expect(counts.b).toBeGreaterThan(900);
    expect(counts.b).toBeLessThan(1_100);
  });

  it('moves only the prefixes of an upstream that goes', () => {
    const three = ['a', 'b', 'c'].map((name) => upstream(name));
    for (let conversation = 0; conversation < 1_000; conversation++) {
      const before = chosen(three, keyOf(conversation));
      const after = chosen(three.slice(0, 2), keyOf(conversation));
      if (before !== 'c') expect(after).toBe(before);
    }
  });

  it('stays with a conversation that grows, and tells accounts apart', () => {
    const first = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ];
    const later = [...first, { role: 'assistant', content: 'Hi' }, { role: 'user', content: 'More' }];
    expect(prefixHash('acc_1', { messages: later })).toBe(prefixHash('acc_1', { messages: first }));
    expect(prefixHash('acc_2', { messages: first })).not.toBe(prefixHash('acc_1', { messages: first }));
    const parts = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }];
    expect(prefixHash('a', { messages: parts })).not.toBe(prefixHash('a', { messages: [] }));
    expect(prefixHash('a', { prompt: ['x'] })).not.toBe(prefixHash('a', { prompt: ['y'] }));
    for (const odd of [[null], [{ content: [null, 1] }], [1]]) prefixHash('a', { messages: odd });
  });

  it('takes the first priority that can take calls', () => {
    const [first, second] = [upstream('first', 100, 0), upstream('second', 100, 1)];
    const both = [first, second];
    expect(chosen(both, 1)).toBe('first');
    open(first, 0);
    expect(chosen(both, 1, 1)).toBe('second');
    expect(chosen(both, 1, 1, new Set([second]))).toBe('none');
    expect(lastResort(both, 1, new Set([second]))).toBe(first);
    // A probe, and then all calls.
    expect(chosen(both, 1, 5_000)).toBe('first');
    answer(first, 5_000);
    expect(chosen(both, 1, 5_001)).toBe('first');
  });

  it('never takes one of weight 0', () => {
    expect(chosen([upstream('a', 0)], 1)).toBe('none');
    expect(lastResort([upstream('a', 0)], 1)).toBeUndefined();
  });

  it('has no last resort with eight calls running, until one of them has ended', () => {
    const one = upstream('a');
    open(one, 0);
    const begun = Array.from({ length: 8 }, () => {
      expect(lastResort([one], 1)).toBe(one);
      return one.circuit.begin(1);
    });
    expect(lastResort([one], 1)).toBeUndefined();
    one.circuit.end(2, 'failed', begun[0]!);
    expect(lastResort([one], 2)).toBe(one);
  });

  it('passes over one that runs more than its share', () => {
    const both = [upstream('a'), upstream('b')];
    const key = keyOf(1);
    const favourite = both.find(({ name }) => name === chosen(both, key))!;
    const other = both.find((candidate) => candidate !== favourite)!;
    favourite.load.running = 7;
    other.load.running = 3;
    // ⌈1.25 × 1/2 × 11⌉ = 7
    expect(chosen(both, key)).toBe(favourite.name);
    favourite.load.running = 8;
    other.load.running = 2;
    expect(chosen(both, key)).toBe(other.name);
    other.load.limits = new OwnLimits(other.load, { running: 2 });
    expect(chosen(both, key)).toBe(favourite.name);
  });

  it('obeys limits, and says when everything is full', () => {
    const one = upstream('a');
    one.load.limits = new OwnLimits(one.load, { requests: 2, tokens: 100, running: 1 });
    one.load.begin(0);
    expect(chosen([one], 1, 0)).toBe('full');
    one.load.end();
    expect(chosen([one], 1, 0)).toBe('a');
    one.load.begin(1_000);
    one.load.end();
    expect(chosen([one], 1, 60_000)).toBe('full');
    expect(lastResort([one], 60_000)).toBeUndefined();
    expect(chosen([one], 1, 65_000)).toBe('a');
    one.load.use(65_000, 100);
    expect(chosen([one], 1, 65_001)).toBe('full');
    expect(chosen([one, upstream('behind', 100, 1)], 1, 65_001)).toBe('behind');
    one.load.use(65_002, -1);
    expect(chosen([one], 1, 65_002)).toBe('a');
  });

  it('passes over a full one by weight, and gives its prompts back when it has room', () => {
    const three = [upstream('a', 60), upstream('b', 30), upstream('c', 10)];
    const namesOf = () => Array.from({ length: 4_000 }, (_, index) => chosen(three, keyOf(index)));
    const before = namesOf();
    three[1]!.load.limits = new OwnLimits(three[1]!.load, { running: 0 });
    const meanwhile = namesOf();
    // Nothing else moves, and what moves is shared by the weights of the others.
    const moved = meanwhile.filter((_, index) => before[index] === 'b');
    expect(meanwhile.every((name, index) => before[index] === 'b' || name === before[index])).toBe(true);
    expect(moved).not.toContain('b');
    expect(moved.filter((name) => name === 'c').length / moved.length).toBeCloseTo(1 / 7, 1);
    three[1]!.load.limits = undefined;
    expect(namesOf()).toEqual(before);
  });

  it('leaves alone who has asked for a pause, and says for how long', () => {
    const one = upstream('a');
    one.circuit.pause(0, 7_000);
    expect(choose([one], 1, 2_000)).toEqual({ reason: 'paused', retryMillis: 5_000 });
    expect(lastResort([one], 2_000)).toBeUndefined();
    expect(chosen([one], 1, 7_000)).toBe('a');
  });
});

describe('a circuit', () => {
  it('lets at most two calls begin between a failure and a success', () => {
    const { circuit } = upstream('a');
    const begun = Array.from({ length: 20 }, () => circuit.begin(0));
    for (const opening of begun.slice(1)) circuit.end(0, 'answered', opening);
    circuit.end(1, 'failed', begun[0]!);
    expect(circuit.state(1)).toBe('closed');
    const next = [1, 2].map(() => {
      expect(circuit.admits(1)).toBe(true);
      return circuit.begin(1);
    });
    expect(circuit.admits(1)).toBe(false);
    circuit.end(2, 'abandoned', next[0]!);
    expect(circuit.admits(2)).toBe(true);
    circuit.end(2, 'answered', next[1]!);
    expect(circuit.admits(2) && circuit.state(2)).toBe('closed');
  });

  it('opens at half of the calls, or at three failures in a row', () => {
    const [share, row] = [upstream('share'), upstream('row')];
    for (let call = 0; call < 100; call++) answer(row, 0);
    for (let call = 0; call < 3; call++) {
      expect(row.circuit.state(0)).toBe('closed');
      fail(row, 0);
    }
    expect(row.circuit.state(0)).toBe('open');
    // Two of three say nothing yet.
    for (const isFailure of [true, false, true, false]) (isFailure ? fail : answer)(share, 0);
    expect(share.circuit.state(0)).toBe('closed');
    answer(share, 0);
    answer(share, 0);
    fail(share, 0);
    expect(share.circuit.state(0)).toBe('closed');
    fail(share, 0);
    expect(share.circuit.state(0)).toBe('open');
  });

  it('probes with one call, waits twice as long after a failure, and begins with a part of its weight', () => {
    const one = upstream('a');
    const { circuit } = one;
    open(one, 0);
    expect(circuit.admits(4_999)).toBe(false);
    const probe = circuit.begin(5_000);
    expect(circuit.admits(5_000)).toBe(false);
    circuit.end(5_100, 'failed', probe);
    expect(circuit.admits(15_000)).toBe(false);
    circuit.end(15_200, 'answered', circuit.begin(15_100));
    expect(circuit.state(15_200)).toBe('closed');
    expect(circuit.ramp(15_200)).toBeCloseTo(0.1);
    expect(circuit.ramp(20_200)).toBeCloseTo(0.55);
    expect(circuit.ramp(25_200)).toBe(1);
  });

  it('tries again while a trial is still running, each time after twice as long', () => {
    const one = upstream('a');
    const { circuit } = one;
    open(one, 0);
    const trials = [5_000, 10_000, 20_000].map((instant) => {
      expect([circuit.admits(instant - 1), circuit.admits(instant)]).toEqual([false, true]);
      return circuit.begin(instant);
    });
    expect(circuit.admits(39_999)).toBe(false);
    circuit.end(21_000, 'abandoned', trials[0]!);
    expect(circuit.admits(21_000)).toBe(true);
    circuit.end(22_000, 'answered', trials[1]!);
    expect(circuit.state(22_000)).toBe('closed');
    circuit.end(23_000, 'failed', trials[2]!);
    expect(circuit.state(23_000)).toBe('closed');
  });

  it('leaves alone for longer who answers a trial and breaks the answer off', () => {
    const candidate = upstream('a');
    const { circuit } = candidate;
    open(candidate, 0);
    const breakOff = (began: number) => {
      const openings = circuit.begin(began);
      circuit.end(began + 10, 'answered', openings);
      expect(circuit.state(began + 10)).toBe('closed');
      circuit.broke(began + 20, began, openings);
      return circuit.state(began + 20);
    };
    expect(breakOff(5_000)).toBe('open');
    expect([circuit.admits(15_019), circuit.admits(15_020)]).toEqual([false, true]);
    expect(breakOff(15_020)).toBe('open');
    expect([circuit.admits(35_039), circuit.admits(35_040)]).toEqual([false, true]);
    // A whole answer closes it, and then a broken one is a failure as others are.
    circuit.end(35_050, 'answered', circuit.begin(35_040));
    expect(breakOff(35_060)).toBe('closed');
  });

  it('hears of a probe beside the calls, unless the server answers calls with errors', () => {
    const [lost, faulty] = [upstream('lost'), upstream('faulty')];
    open(lost, 0, 'lost');
    open(faulty, 0, 'failed');
    for (const { circuit } of [lost, faulty]) circuit.probed(1_000, 'alive');
    expect([lost.circuit.admits(1_000), faulty.circuit.admits(1_000)]).toEqual([true, false]);
    lost.circuit.probed(1_000, 'silent');
    expect(lost.circuit.admits(1_000)).toBe(true);
    lost.circuit.probed(1_000, 'unreachable');
    expect(lost.circuit.admits(1_000)).toBe(false);
    lost.circuit.probed(1_100, 'alive');
    expect(lost.circuit.admits(1_100)).toBe(true);
  });

  it('opens when a probe finds an upstream dead whose calls have not failed yet', () => {
    const [hanging, spare] = [upstream('hanging'), upstream('spare', 100, 1)];
    hanging.circuit.begin(0);
    expect(chosen([hanging, spare], 1)).toBe('hanging');
    hanging.circuit.probed(10_000, 'silent');
    expect(chosen([hanging, spare], 1, 10_000)).toBe('spare');
  });
});

describe('the budget of further calls', () => {
  it('has a floor, and beyond it a tenth of the calls', () => {
    const budget = new RetryBudget();
    const taken = () => {
      let count = 0;
      while (budget.take(0)) count++;
      return count;
    };
    expect(taken()).toBe(100);
    for (let call = 0; call < 2_000; call++) budget.countCall(0);
    expect(taken()).toBe(100);
    expect(budget.take(10_000)).toBe(true);
  });
});

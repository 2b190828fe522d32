import { type Circuit } from './circuit';
import { uniform } from './prefix-hash';
import { type UpstreamLoad } from './upstream-load';

/** An upstream of one model, as the chooser sees it. */
export interface Candidate {
  /** Differs between upstreams, and is the same in every process. */
  seed: number;
  weight: number;
  /** The lowest one is called first. */
  priority: number;
  load: UpstreamLoad;
  circuit: Circuit;
}

/** An upstream has at most this multiple of its share of the running calls before it is passed over. */
const LOAD_FACTOR = 1.25;

/** Why no upstream can be called, and when to try again. */
export interface NoCandidate {
  reason: 'none' | 'full' | 'paused';
  retryMillis: number;
}

/** How long a client waits that is told that all upstreams are full. */
const FULL_RETRY_MILLIS = 1_000;

/** The first upstream of which a circuit keeps calls that no other can take. */
export const lastResort = <Kind extends Candidate>(
  candidates: readonly Kind[],
  now: number,
  tried?: ReadonlySet<Kind>,
): Kind | undefined =>
  candidates.find(
    (candidate) =>
      candidate.weight > 0 &&
      !tried?.has(candidate) &&
      !candidate.load.isFull(now) &&
      candidate.circuit.admitsLastResort(now),
  );

export const isCandidate = <Kind extends Candidate>(choice: Kind | NoCandidate): choice is Kind =>
  'circuit' in choice;

/**
 * Chooses the upstream of a call: of the first group that can take it the highest one by a weighted rendezvous hash, so that calls with one
 * key stay with one upstream and the weights hold over distinct keys; upstreams above their share of the running calls are passed over.
 * @param candidates in the order of their priorities
 * @param key hash of what shall stay together
 * @param tried is not chosen
 */
export function choose<Kind extends Candidate>(
  candidates: readonly Kind[],
  key: number,
  now: number,
  tried?: ReadonlySet<Kind>,
): Kind | NoCandidate {
  let isFull = false;
  let pauseEnd = Infinity;
  for (let from = 0; from < candidates.length;) {
    const { priority } = candidates[from]!;
    let to = from;
    let weights = 0;
    let running = 0;
    for (; to < candidates.length && candidates[to]!.priority === priority; to++) {
      const { weight, circuit, load } = candidates[to]!;
      if (weight === 0 || !circuit.admits(now)) continue;
      weights += weight * circuit.ramp(now);
      running += load.running;
    }
    let best: Kind | undefined;
    let bestScore = -Infinity;
    let isBestBusy = true;
    for (let index = from; index < to; index++) {
      const candidate = candidates[index]!;
      const { weight, circuit, load } = candidate;
      if (weight === 0 || tried?.has(candidate)) continue;
      if (!circuit.admits(now)) {
        if (circuit.pauseEnd > now) pauseEnd = Math.min(pauseEnd, circuit.pauseEnd);
        continue;
      }
      if (load.isFull(now)) {
        isFull = true;
        continue;
      }
      const ramped = weight * circuit.ramp(now);
      const isBusy = load.running > Math.ceil((LOAD_FACTOR * ramped * (running + 1)) / weights);
      const score = -ramped / Math.log(uniform(key, candidate.seed));
      // One that is busy is better than a group behind, if the others of this one are full.
      if (isBusy === isBestBusy ? score <= bestScore : isBusy) continue;
      bestScore = score;
      best = candidate;
      isBestBusy = isBusy;
    }
    if (best) return best;
    from = to;
  }
  if (isFull) return { reason: 'full', retryMillis: FULL_RETRY_MILLIS };
  if (pauseEnd < Infinity) return { reason: 'paused', retryMillis: pauseEnd - now };
  return { reason: 'none', retryMillis: FULL_RETRY_MILLIS };
}

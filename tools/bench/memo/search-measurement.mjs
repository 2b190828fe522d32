import { percentile } from '../measuring/report.mjs';
import { ndcg } from './collection.mjs';

/** Questions that are not timed, because caches are empty at first. */
const WARM_UP = 30;

/** @import { Peer } from './peers.mjs' */

/** @param {Peer} peer @param {import('./collection.mjs').Question[]} questions @param {AbortSignal} signal */
export async function measureQuality(peer, questions, signal) {
  let sum = 0;
  for (const { text, relevant } of questions) {
    signal.throwIfAborted();
    sum += ndcg(await peer.find(text), relevant);
  }
  return { label: peer.label, ndcg: sum / questions.length };
}

/** Asks the questions sequentially. @param {Peer} peer @param {string[]} questions @param {AbortSignal} signal */
export async function measureSpeed(peer, questions, signal) {
  for (const question of questions.slice(0, WARM_UP)) await peer.find(question);
  const before = process.cpuUsage();
  /** @type {number[]} */
  const millis = [];
  for (const question of questions) {
    signal.throwIfAborted();
    const startedAt = performance.now();
    await peer.find(question);
    millis.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(before);
  millis.sort((one, other) => one - other);
  return {
    label: peer.label,
    p50Ms: percentile(millis, 0.5),
    p95Ms: percentile(millis, 0.95),
    cpuMs: (user + system) / 1000 / questions.length,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../setup/errors.mjs';

/**
 * Starts the children of a running site again when they die.
 *
 * @typedef {object} Run of a child
 * @property {Promise<string>} ended how it ended
 * @property {() => string} lastLines of its log since it started
 * @property {(signal: AbortSignal) => Promise<void>} untilHealthy rejects when the signal is aborted
 *
 * @typedef {object} Child
 * @property {string} name
 * @property {string} logFile
 * @property {() => Run | Promise<Run>} start rejects if it cannot be started
 *
 * @typedef {object} Circumstances
 * @property {AbortSignal} signal aborted when the site stops
 * @property {(line: string) => void} log
 * @property {() => boolean} hasStarted whether the site has started. Before that a child that dies is not started again: its
 *   configuration is wrong as a rule, and would be wrong again
 */

/** In a row. Specified: five. */
const MAX_RESTARTS = 5;
/** Doubles with each restart in a row. Chosen: twice keeps customers waiting after a single kill; five restarts take 8 s. */
const FIRST_PAUSE_MS = 250;
/**
 * A child that was healthy for this long before it died begins a new row. Chosen: what is wrong from the start shows within it.
 * At half a child that fails with its first requests would be started for ever; at twice rare crashes would add up.
 */
const HEALTHY_MS = 5_000;

/** @param {number} millis */
const seconds = (millis) => `${(millis / 1_000).toFixed(1)} s`;

/** @param {Child} child @returns {Promise<Run>} one that has ended, if the child cannot be started */
async function tryStart({ start }) {
  try {
    return await start();
  } catch (error) {
    const [how = '', ...lines] = messageOf(error).split('\n');
    return {
      ended: Promise.resolve(how),
      lastLines: () => lines.slice(-15).join('\n'),
      untilHealthy: () => Promise.reject(error),
    };
  }
}

/**
 * @param {Run} run
 * @param {AbortSignal} signal
 * @param {() => void} onHealthy
 * @returns {Promise<{ how: string, healthyMs: number } | null>} its end and for how long it was healthy; null if the signal is
 *   aborted before
 */
async function untilEnded(run, signal, onHealthy) {
  if (signal.aborted) return null;
  const watching = new AbortController();
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  /** @type {number | undefined} */
  let healthyAtMs;
  run.untilHealthy(AbortSignal.any([signal, watching.signal])).then(
    () => {
      healthyAtMs = Date.now();
      onHealthy();
    },
    () => undefined,
  );
  const how = await Promise.race([run.ended.catch(messageOf), aborted.then(() => null)]);
  watching.abort();
  if (how === null || signal.aborted) return null;
  return { how, healthyMs: healthyAtMs === undefined ? 0 : Date.now() - healthyAtMs };
}

/**
 * Starts a child again as often as it dies.
 * @param {Child} child
 * @param {Run} firstRun
 * @param {Circumstances} circumstances
 * @returns {Promise<void>} resolves when the site stops; rejects with the reason and the last lines of the log if the child
 *   cannot be kept running
 */
export async function keepRunning(child, firstRun, { signal, log, hasStarted }) {
  const { name, logFile } = child;
  let run = firstRun;
  let restarts = 0;
  let diedAtMs = 0;
  const reportBack = () => {
    if (diedAtMs > 0) log(`${name} is back after ${seconds(Date.now() - diedAtMs)}.`);
  };
  for (;;) {
    const end = await untilEnded(run, signal, reportBack);
    if (!end) return;
    const { how, healthyMs } = end;
    if (healthyMs >= HEALTHY_MS) restarts = 0;
    if (!hasStarted() || restarts === MAX_RESTARTS) {
      const attempts = restarts > 0 ? `, after it was started again ${restarts} times` : '';
      throw new Error(
        `${name} has ended (${how})${attempts}. The last lines of ${logFile}:\n\n${run.lastLines()}`,
      );
    }
    diedAtMs = Date.now();
    const pauseMs = FIRST_PAUSE_MS * 2 ** restarts;
    restarts += 1;
    log(
      `${name} has ended (${how}). Starting it again in ${seconds(pauseMs)} (${restarts} of ${MAX_RESTARTS}) …`,
    );
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    run = await tryStart(child);
  }
}

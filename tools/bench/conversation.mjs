import { once } from 'node:events';

const DEADLINE_MS = 120_000;

/**
 * The next message of a child process.
 * @param {import('./workbench.mjs').Workbench} bench
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<any>} rejects when the run is to end, the child has ended, or it says nothing for long
 */
export async function nextMessage({ signal }, child) {
  const settled = new AbortController();
  const reasons = AbortSignal.any([signal, settled.signal, AbortSignal.timeout(DEADLINE_MS)]);
  const gone = once(child, 'exit', { signal: settled.signal }).then(() => {
    throw new Error('A process of the benchmark has ended.');
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: reasons }), gone]);
    return message;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    settled.abort();
    gone.catch(() => undefined);
  }
}

/** @returns {Promise<any>} the answer to a message */
export async function ask(bench, child, message) {
  const answer = nextMessage(bench, child);
  child.send(message);
  return answer;
}

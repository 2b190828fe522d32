import { once } from 'node:events';

const DEADLINE_MS = 120_000;

/**
 * Waits for the next message of a child process. The caller names the type of the message.
 * @template Message
 * @param {import('./workbench.mjs').Workbench} bench
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<Message>} rejects if the run is aborted, the child ends, or there is no message within DEADLINE_MS
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

/**
 * @template Message
 * @param {import('./workbench.mjs').Workbench} bench
 * @param {import('node:child_process').ChildProcess} child
 * @param {import('node:child_process').Serializable} message
 * @returns {Promise<Message>} the response to the message
 */
export async function ask(bench, child, message) {
  /** @type {Promise<Message>} */
  const answer = nextMessage(bench, child);
  child.send(message);
  return answer;
}

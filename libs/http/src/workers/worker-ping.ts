import { type Worker } from 'node:cluster';

const PING = 'inference:ping';
/** Chosen: longer than any pause of a busy event loop, shorter than the five seconds that a probe waits. */
const PING_TIMEOUT_MILLIS = 3_000;

/** Lets this worker answer the pings of the primary process, as long as its event loop turns. */
export function answerPings(): void {
  process.on('message', (message) => {
    if (message === PING) process.send?.(PING);
  });
}

/** Resolves with false if the worker does not answer within three seconds, or ends before. */
export function answersPing(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (answers: boolean) => {
      clearTimeout(timer);
      worker.off('message', receive).off('exit', fail);
      resolve(answers);
    };
    const receive = (message: unknown) => {
      if (message === PING) finish(true);
    };
    const fail = () => finish(false);
    const timer = setTimeout(fail, PING_TIMEOUT_MILLIS);
    worker.on('message', receive).on('exit', fail);
    worker.send(PING, undefined, (error) => {
      if (error) fail();
    });
  });
}

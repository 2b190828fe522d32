import { once } from 'node:events';
import { type Response } from 'express';

/** Whether the client can take more of a response; one that takes nothing for `stallMillis` is cut off. */
export async function drained(response: Response, stallMillis: number): Promise<boolean> {
  if (response.destroyed) return false;
  if (!response.writableNeedDrain) return true;
  const stop = new AbortController();
  const timeout = setTimeout(() => response.destroy(), stallMillis);
  await Promise.race([
    once(response, 'drain', { signal: stop.signal }),
    once(response, 'close', { signal: stop.signal }),
  ]).finally(() => {
    clearTimeout(timeout);
    stop.abort();
  });
  return !response.destroyed;
}

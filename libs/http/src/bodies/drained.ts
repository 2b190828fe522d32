import { once } from 'node:events';
import { type Response } from 'express';

/**
 * Waits until the client can receive more of a response. Returns false if the connection is closed; closes it if the client
 * reads nothing for `stallMillis`.
 */
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

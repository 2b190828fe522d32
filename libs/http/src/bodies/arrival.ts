import { type IncomingMessage } from 'node:http';

/** How long a client may take to send a body. */
export interface ArrivalLimits {
  /** Longest pause between two pieces. */
  stallMillis: number;
  /** Time in which a body need not have arrived at the least rate yet. */
  graceMillis: number;
  /** Bytes a second that a body arrives with on average, beyond the grace. */
  leastBytesPerSecond: number;
  /** Longest time for the whole body. */
  totalMillis: number;
}

/** Chosen: 32 kbit/s. At twice, bad mobile connections are cut off; at half, holding the memory of a body costs its sender half as much. */
export const LEAST_BYTES_PER_SECOND = 4096;
/** A client that sends nothing for so long is not sending any more. */
export const GRACE_MILLIS = 30_000;

/** How long a body of which so many bytes have arrived may have taken. */
export function allowedMillis(
  bytes: number,
  { graceMillis, leastBytesPerSecond, totalMillis }: Omit<ArrivalLimits, 'stallMillis'>,
): number {
  return Math.min(totalMillis, graceMillis + (bytes / leastBytesPerSecond) * 1000);
}

/** Calls `onLate` if the body of a request stalls, arrives too slowly or takes too long. Returns the function that ends the watch. */
export function watchArrival(
  request: IncomingMessage,
  limits: ArrivalLimits,
  onLate: () => void,
): () => void {
  let bytes = 0;
  let millis = allowedMillis(0, limits);
  const onDeadline = () => {
    const added = allowedMillis(bytes, limits) - millis;
    // Timers count whole milliseconds.
    if (added < 1) return onLate();
    millis += added;
    deadline = setTimeout(onDeadline, added);
  };
  let deadline = setTimeout(onDeadline, millis);
  const stall = setTimeout(onLate, limits.stallMillis);
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    stall.refresh();
  };
  request.on('data', onData);
  return () => {
    clearTimeout(deadline);
    clearTimeout(stall);
    request.off('data', onData);
  };
}

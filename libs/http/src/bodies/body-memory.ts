import { type IncomingMessage } from 'node:http';
import { TooManyRequestsException, UnavailableException } from '../errors/error.filter';

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

/** Chosen: eight bodies of the largest size that a service takes. */
const LIMIT_BYTES = 256 * 1024 * 1024;
/** Part of the memory that one holder may use. A half would let two of them take all of it. */
const HOLDER_PARTS = 4;
/** Part that the bodies of one holder may use while they arrive, or one body of the largest size. At half of it, sixteen uploads of 1 MiB at once are refused. */
const ARRIVING_PARTS = 16;
/** Part that only small bodies may use: 512 of the largest of them, or some 10,000 sign-ins. */
const SMALL_BODY_PARTS = 8;
/** Size of a small body: the longest notification of a payment provider. */
const SMALL_BODY_BYTES = 64 * 1024;
const RETRY_AFTER_SECONDS = 1;

interface HolderBytes {
  bytes: number;
  /** Part of `bytes` whose bodies have not arrived completely. */
  arrivingBytes: number;
}

/**
 * Counts the bytes of the bodies that the process holds: in all, for each holder, and for each holder those that still arrive,
 * which cost a client nothing to keep unfinished. A holder is an account, or the address of a caller without one.
 */
export class BodyMemory {
  private heldBytes = 0;
  private largeBytes = 0;
  private readonly holders = new Map<string, HolderBytes>();
  private readonly holderLimitBytes: number;
  private readonly arrivingLimitBytes: number;
  private readonly largeLimitBytes: number;

  constructor(private readonly limitBytes = LIMIT_BYTES) {
    this.holderLimitBytes = Math.floor(limitBytes / HOLDER_PARTS);
    this.arrivingLimitBytes = Math.floor(limitBytes / ARRIVING_PARTS);
    this.largeLimitBytes = limitBytes - Math.floor(limitBytes / SMALL_BODY_PARTS);
  }

  /** A new body that arrives. One of `mostBytes` is within the limits of a holder that holds no other one. */
  begin(holder: string, mostBytes: number): HeldBody {
    return new HeldBody(this, holder, mostBytes);
  }

  /** Adds bytes to a body; for HeldBody only. */
  add({ holder, mostBytes, bytes: before, isArriving }: HeldBody, added: number): void {
    const held = this.holders.get(holder) ?? { bytes: 0, arrivingBytes: 0 };
    if (
      held.bytes + added > Math.max(this.holderLimitBytes, mostBytes) ||
      (isArriving && held.arrivingBytes + added > Math.max(this.arrivingLimitBytes, mostBytes))
    )
      throw new TooManyRequestsException('too many large bodies at once', RETRY_AFTER_SECONDS);
    const addedLarge = largePart(before + added) - largePart(before);
    if (
      this.heldBytes + added > this.limitBytes ||
      (addedLarge > 0 && this.largeBytes + addedLarge > this.largeLimitBytes)
    )
      throw new UnavailableException('the service holds too many large bodies', 'busy');
    this.heldBytes += added;
    this.largeBytes += addedLarge;
    held.bytes += added;
    if (isArriving) held.arrivingBytes += added;
    this.holders.set(holder, held);
  }

  /** Leaves a body that has arrived these bytes; for HeldBody only. */
  reduce({ holder, bytes: before, isArriving }: HeldBody, bytes: number): void {
    const held = this.holders.get(holder);
    if (!held) return;
    this.heldBytes -= before - bytes;
    this.largeBytes -= largePart(before) - largePart(bytes);
    held.bytes -= before - bytes;
    if (isArriving) held.arrivingBytes -= before;
    if (held.bytes === 0) this.holders.delete(holder);
  }
}

const largePart = (bytes: number) => (bytes > SMALL_BODY_BYTES ? bytes : 0);

/** The memory of one body. */
export class HeldBody {
  bytes = 0;
  isArriving = true;
  isReleased = false;
  private isAnswered = false;
  private keepers = 0;

  constructor(
    private readonly memory: BodyMemory,
    readonly holder: string,
    /** Largest size that the body may have. */
    public mostBytes: number,
  ) {}

  /** Adds bytes. Throws 429 above a limit of the holder and 503 above one of all, and then adds nothing. */
  grow(bytes: number): void {
    if (this.isReleased) throw new Error('The memory of this body was released.');
    this.memory.add(this, bytes);
    this.bytes += bytes;
  }

  /** Adds bytes of what is made of the body; those of its only one are within the limits of a holder. No more after the release. */
  growBeyond(bytes: number): void {
    if (this.isReleased) return;
    this.mostBytes = Math.max(this.mostBytes, this.bytes + bytes);
    this.grow(bytes);
  }

  /** The body has arrived, and keeps so many of its bytes. */
  arrive(keptBytes = this.bytes): void {
    this.memory.reduce(this, keptBytes);
    this.bytes = keptBytes;
    this.isArriving = false;
  }

  /** Keeps the bytes beyond the end of the answer, until the returned function is called. */
  keep(): () => void {
    this.keepers++;
    return () => {
      this.keepers--;
      if (this.keepers === 0 && this.isAnswered) this.release();
    };
  }

  /** Gives all bytes back as soon as nobody keeps them; may be repeated. */
  answered(): void {
    this.isAnswered = true;
    if (this.keepers === 0) this.release();
  }

  /** Gives all bytes back; may be repeated. */
  release(): void {
    this.arrive(0);
    this.isReleased = true;
  }
}

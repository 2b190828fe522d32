import { TooManyRequestsException } from '../errors/too-many-requests.exception';
import { UnavailableException } from '../errors/unavailable.exception';

/** Chosen: eight bodies of the largest size that a service takes. */
const LIMIT_BYTES = 256 * 1024 * 1024;
/** Part of the memory that one holder may use, which is an address or an account. A half would let two of them take all of it. */
const PARTS = 4;
const RETRY_AFTER_SECONDS = 1;

/** Counts the bytes of the bodies that the process holds. */
export class BodyMemory {
  private heldBytes = 0;
  private readonly byHolder = new Map<string, number>();
  private readonly holderLimitBytes: number;

  constructor(private readonly limitBytes = LIMIT_BYTES) {
    this.holderLimitBytes = Math.floor(limitBytes / PARTS);
  }

  /** Adds bytes. Throws 429 above the limit of a holder and 503 above the limit of all, and then adds nothing. */
  hold(holder: string, bytes: number): void {
    const ofHolder = (this.byHolder.get(holder) ?? 0) + bytes;
    if (ofHolder > this.holderLimitBytes)
      throw new TooManyRequestsException('too many large bodies at once', RETRY_AFTER_SECONDS);
    if (this.heldBytes + bytes > this.limitBytes)
      throw new UnavailableException('the service holds too many large bodies', 'busy');
    this.heldBytes += bytes;
    this.byHolder.set(holder, ofHolder);
  }

  release(holder: string, bytes: number): void {
    this.heldBytes -= bytes;
    const left = (this.byHolder.get(holder) ?? 0) - bytes;
    if (left > 0) this.byHolder.set(holder, left);
    else this.byHolder.delete(holder);
  }
}

import { TooManyRequestsException } from '../errors/too-many-requests.exception';
import { UnavailableException } from '../errors/unavailable.exception';

/** Part of the memory that one address may use. A half would let two addresses take all of it. */
const PARTS = 4;
const RETRY_AFTER_SECONDS = 1;

/** Counts the bytes of all bodies that the process holds, from their arrival until the answers end. */
export class BodyMemory {
  private heldBytes = 0;
  private readonly byAddress = new Map<string, number>();
  private readonly addressLimitBytes: number;

  constructor(private readonly limitBytes: number) {
    this.addressLimitBytes = Math.floor(limitBytes / PARTS);
  }

  /** Adds bytes. Throws 429 above the limit of an address and 503 above the limit of the process, and then adds nothing. */
  hold(address: string, bytes: number): void {
    const ofAddress = (this.byAddress.get(address) ?? 0) + bytes;
    if (ofAddress > this.addressLimitBytes)
      throw new TooManyRequestsException('too many large bodies at once', RETRY_AFTER_SECONDS);
    if (this.heldBytes + bytes > this.limitBytes)
      throw new UnavailableException('the service holds too many large bodies', 'busy');
    this.heldBytes += bytes;
    this.byAddress.set(address, ofAddress);
  }

  release(address: string, bytes: number): void {
    this.heldBytes -= bytes;
    const left = (this.byAddress.get(address) ?? 0) - bytes;
    if (left > 0) this.byAddress.set(address, left);
    else this.byAddress.delete(address);
  }
}

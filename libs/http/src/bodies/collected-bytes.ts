const FIRST_BYTES = 4096;

/**
 * The bytes of a body, in one buffer that doubles. A chunk of the network is a slice of 64 KiB: keeping it, however short it is,
 * would keep all of that.
 */
export class CollectedBytes {
  /** Bytes so far. */
  length = 0;
  private buffer = Buffer.alloc(0);

  /**
   * @param mostBytes the announced length of the body, or its limit
   * @param reserve called before the buffer grows, with the bytes that it grows by; may throw
   */
  constructor(
    private readonly mostBytes: number,
    private readonly reserve: (bytes: number) => void,
  ) {}

  /** Adds bytes. The sum must not exceed `mostBytes`. */
  add(chunk: Buffer): void {
    const needed = this.length + chunk.length;
    if (needed > this.buffer.length) this.grow(needed);
    chunk.copy(this.buffer, this.length);
    this.length = needed;
  }

  take(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private grow(needed: number): void {
    const size = Math.min(this.mostBytes, Math.max(needed, 2 * this.buffer.length, FIRST_BYTES));
    this.reserve(size - this.buffer.length);
    const grown = Buffer.allocUnsafe(size);
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

const FIRST_BYTES = 4096;

/**
 * The bytes of a body, in one buffer that doubles. A chunk of the network is a slice of 64 KiB: keeping it, however short it is,
 * would keep all of that.
 */
export class CollectedBytes {
  private buffer = Buffer.alloc(0);
  private length = 0;

  add(chunk: Buffer): void {
    const needed = this.length + chunk.length;
    if (needed > this.buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.buffer.length, FIRST_BYTES));
      this.buffer.copy(grown, 0, 0, this.length);
      this.buffer = grown;
    }
    chunk.copy(this.buffer, this.length);
    this.length = needed;
  }

  take(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}

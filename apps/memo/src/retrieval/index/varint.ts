/** Writes unsigned integers in a variable number of bytes. */
export class VarintWriter {
  private bytes: Uint8Array;
  length = 0;

  constructor(capacity = 8) {
    this.bytes = new Uint8Array(capacity);
  }

  /** @param value at most 2^53 - 1 */
  write(value: number): void {
    if (this.length + 8 > this.bytes.length) this.grow();
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  private grow(): void {
    const larger = new Uint8Array(this.bytes.length * 2 + 8);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}

/** Reads integers written by VarintWriter. */
export class VarintReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  read(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error('A packed number is not terminated.');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }
}

/** A call of `set` takes as long as a loop over some dozens of bytes. */
const MAX_LOOPED_BYTES = 48;

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
    // Most numbers are small, and integer operations faster.
    for (; rest > 0x7f && rest <= 0x7fffffff; rest >>>= 7) this.bytes[this.length++] = (rest & 0x7f) | 0x80;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  append(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.bytes.length) this.grow(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Appends the bytes from `from` to `to`. Most parts are a few bytes, which a loop copies faster than `set`. */
  appendPart(bytes: Uint8Array, from: number, to: number): void {
    const size = to - from;
    if (size > MAX_LOOPED_BYTES) return this.append(bytes.subarray(from, to));
    if (this.length + size > this.bytes.length) this.grow(size);
    const own = this.bytes;
    let { length } = this;
    for (let at = from; at < to; at++) own[length++] = bytes[at]!;
    this.length = length;
  }

  /** Shares the memory of the writer, which the next writes after `clear` change. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** Removes bytes from the beginning. */
  drop(bytes: number): void {
    this.bytes.copyWithin(0, bytes, this.length);
    this.length -= bytes;
  }

  clear(): void {
    this.length = 0;
  }

  private grow(room = 8): void {
    const larger = new Uint8Array(this.bytes.length * 2 + room);
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

/** Term frequencies above this value are stored as this value. */
export const MAX_TERM_FREQUENCY = 0xffff;
const SLOT_FACTOR = MAX_TERM_FREQUENCY + 1;

/** Encodes a slot and a term frequency in one number. Postings sort by slot. */
export const postingOf = (slot: number, frequencies: number): number =>
  slot * SLOT_FACTOR + Math.min(frequencies, MAX_TERM_FREQUENCY);
export const slotOf = (posting: number): number => Math.floor(posting / SLOT_FACTOR);
export const frequencyOf = (posting: number): number => posting & MAX_TERM_FREQUENCY;

/** Unpacked postings of several terms, one after the other. */
export class UnpackedPostings {
  slots = new Int32Array(1_024);
  frequencies = new Uint16Array(1_024);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  /** Appends a list packed by PostingBlockPacker. @param retired by slot: 1 for chunks to omit */
  append(packed: Uint8Array, retired?: Uint8Array): void {
    this.reserve(packed.length);
    const { slots, frequencies } = this;
    const size = packed.length;
    let { length } = this;
    let slot = -1;
    for (let at = 0; at < size;) {
      let value = packed[at++]!;
      if (value > 0x7f) {
        value &= 0x7f;
        for (let shift = 7, byte = 0x80; byte > 0x7f; shift += 7) {
          byte = packed[at++]!;
          value |= (byte & 0x7f) << shift;
        }
      }
      slot += (value >>> 1) + 1;
      let frequency = 1;
      if ((value & 1) === 0) {
        frequency = packed[at++]!;
        if (frequency > 0x7f) {
          frequency &= 0x7f;
          for (let shift = 7, byte = 0x80; byte > 0x7f; shift += 7) {
            byte = packed[at++]!;
            frequency |= (byte & 0x7f) << shift;
          }
        }
      }
      if (retired !== undefined && retired[slot] === 1) continue;
      slots[length] = slot;
      frequencies[length++] = frequency;
    }
    this.length = length;
  }

  /** A packed posting takes at least one byte. */
  private reserve(bytes: number): void {
    const wanted = this.length + bytes;
    if (wanted <= this.slots.length) return;
    const capacity = Math.max(wanted, this.slots.length * 2);
    const slots = new Int32Array(capacity);
    slots.set(this.slots);
    const frequencies = new Uint16Array(capacity);
    frequencies.set(this.frequencies);
    [this.slots, this.frequencies] = [slots, frequencies];
  }
}

import { type PackedPostings } from './segment';
import { VarintWriter } from './varint';

/** What a term can stand in one chunk as often as. */
export const MOST_TIMES = 0xffff;
const SLOT = MOST_TIMES + 1;

/** One number for a slot and how often a term stands there; they sort by slot. */
export const postingOf = (slot: number, times: number): number => slot * SLOT + Math.min(times, MOST_TIMES);
export const slotOf = (posting: number): number => Math.floor(posting / SLOT);
export const timesOf = (posting: number): number => posting & MOST_TIMES;

/**
 * Packs the postings of terms: for each slot where a term stands, in ascending order, twice its distance from the one before
 * it (less one), plus one when the term stands there once; otherwise how often follows.
 */
export class PostingsPacker {
  private readonly terms: bigint[] = [];
  private readonly ends: number[] = [];
  private readonly chunks: number[] = [];
  private readonly writer = new VarintWriter(65_536);

  /** @param term above the ones before it @param postings ascending */
  add(term: bigint, postings: Int32Array | Float64Array): void {
    const { writer } = this;
    let last = -1;
    for (let i = 0; i < postings.length; i++) {
      const slot = slotOf(postings[i]!);
      const times = timesOf(postings[i]!);
      writer.write((slot - last - 1) * 2 + (times === 1 ? 1 : 0));
      if (times > 1) writer.write(times);
      last = slot;
    }
    this.terms.push(term);
    this.ends.push(writer.length);
    this.chunks.push(postings.length);
  }

  packed(): PackedPostings {
    return {
      terms: BigInt64Array.from(this.terms),
      ends: Uint32Array.from(this.ends),
      chunks: Int32Array.from(this.chunks),
      bytes: this.writer.written(),
    };
  }
}

/** Unpacked postings of several lists, one behind the other. */
export class UnpackedPostings {
  slots = new Int32Array(1_024);
  times = new Uint16Array(1_024);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  /** Appends a list as PostingsPacker has packed it. @param dead by slot: 1 for what is left out */
  append(packed: Uint8Array, dead?: Uint8Array): void {
    this.reserve(packed.length);
    const { slots, times } = this;
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
      let count = 1;
      if ((value & 1) === 0) {
        count = packed[at++]!;
        if (count > 0x7f) {
          count &= 0x7f;
          for (let shift = 7, byte = 0x80; byte > 0x7f; shift += 7) {
            byte = packed[at++]!;
            count |= (byte & 0x7f) << shift;
          }
        }
      }
      if (dead !== undefined && dead[slot] === 1) continue;
      slots[length] = slot;
      times[length++] = count;
    }
    this.length = length;
  }

  /** A posting takes a byte at least. */
  private reserve(bytes: number): void {
    const wanted = this.length + bytes;
    if (wanted <= this.slots.length) return;
    const capacity = Math.max(wanted, this.slots.length * 2);
    const slots = new Int32Array(capacity);
    slots.set(this.slots);
    const times = new Uint16Array(capacity);
    times.set(this.times);
    [this.slots, this.times] = [slots, times];
  }
}

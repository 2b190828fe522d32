import { frequencyOf, slotOf } from './postings';
import { type PackedPostings } from '../segment';
import { joinTermId, splitTermId } from '../term-id';
import { VarintWriter } from '../varint';

/**
 * Size of a block with several terms. A search reads a block for each term and segment: twice the size doubles what it reads.
 * Half doubles the rows of the index. A longer list is a block of its own.
 */
const MAX_BLOCK_BYTES = 1_024;
const COUNT_BYTES = 2;
const ID_BYTES = 8;
const END_BYTES = 2;
/** A list has at least one byte; the first one is added however long it is. */
const MAX_BLOCK_TERMS = Math.ceil(MAX_BLOCK_BYTES / (ID_BYTES + END_BYTES)) + 1;

/**
 * Packs the postings of a segment into blocks of consecutive terms: a row for each term would cost more than its postings.
 * A block consists of the number of its terms, their ids in ascending order, the ends of all lists but the last one, and the
 * lists. Integers are little-endian. A list contains for each slot in ascending order: twice the gap to the previous slot
 * (minus one), plus one if the term frequency is 1; otherwise the frequency follows as another number.
 */
export class PostingBlockPacker {
  private readonly keys: bigint[] = [];
  private readonly blockEnds: number[] = [];
  private readonly chunkCounts: number[] = [];
  private readonly blocks = new VarintWriter(65_536);
  /** The halves of the ids in the block that is being filled. */
  private readonly ids = new Int32Array(MAX_BLOCK_TERMS * 2);
  private readonly listEnds = new Int32Array(MAX_BLOCK_TERMS);
  private readonly header = new DataView(new ArrayBuffer(listsStart(MAX_BLOCK_TERMS)));
  /** Number of terms in the block that is being filled. */
  private terms = 0;
  private readonly lists = new VarintWriter(MAX_BLOCK_BYTES);
  /** The number of postings of the last term. */
  private chunks = 0;
  /** Of the list that is being written: where it starts, its last slot, and the number of its postings. */
  private listStart = 0;
  private lastSlot = -1;
  private listChunks = 0;

  /** Bytes of the blocks that are packed and not taken. */
  get bytes(): number {
    return this.blocks.length;
  }

  /**
   * Adds a term with all its postings.
   * @param high the high half of an id that is greater than the previous one
   * @param postings ascending from `from` to `to`: views of parts would be millions of objects
   */
  add(high: number, low: number, postings: Int32Array | Float64Array, from = 0, to = postings.length): void {
    this.start();
    writeList(this.lists, postings, from, to);
    this.listChunks = to - from;
    this.end(high, low);
  }

  /** Starts the list of a term, to which packed lists are appended. */
  start(): void {
    this.listStart = this.lists.length;
    this.lastSlot = -1;
    this.listChunks = 0;
  }

  /**
   * Appends a packed list to the one that was started. Only its first gap changes; the others are copied.
   * @param shift added to its slots, which are then greater than those before
   */
  append(packed: Uint8Array, from: number, to: number, shift: number): void {
    let slot = -1;
    for (let at = from; at < to;) {
      let value = packed[at++]!;
      if (value > 0x7f) {
        value &= 0x7f;
        for (let bits = 7, byte = 0x80; byte > 0x7f; bits += 7) {
          byte = packed[at++]!;
          value |= (byte & 0x7f) << bits;
        }
      }
      const isFirst = slot < 0;
      slot += (value >>> 1) + 1;
      this.listChunks += 1;
      if (isFirst) {
        this.lists.write((slot + shift - this.lastSlot - 1) * 2 + (value & 1));
        this.lists.appendPart(packed, at, to);
      }
      // The frequency follows.
      if ((value & 1) === 0) while (packed[at++]! > 0x7f);
    }
    this.lastSlot = slot + shift;
  }

  /** Ends the list that was started. @param high the high half of an id that is greater than the previous one */
  end(high: number, low: number): void {
    const { lists, ids } = this;
    const headerBytes = COUNT_BYTES + (this.terms + 1) * (ID_BYTES + END_BYTES);
    if (this.terms > 0 && headerBytes + lists.length > MAX_BLOCK_BYTES) this.endBlock(this.listStart);
    ids[this.terms * 2] = high;
    ids[this.terms * 2 + 1] = low;
    this.listEnds[this.terms++] = lists.length;
    this.chunks = this.listChunks;
  }

  /** Returns the blocks that were not taken yet. Terms may be added afterwards. */
  take(): PackedPostings {
    this.endBlock();
    const packed = {
      keys: BigInt64Array.from(this.keys.splice(0)),
      ends: Uint32Array.from(this.blockEnds.splice(0)),
      chunks: Int32Array.from(this.chunkCounts.splice(0)),
      bytes: this.blocks.written().slice(),
    };
    this.blocks.clear();
    return packed;
  }

  /** @param end of the lists of the block; what follows them belongs to the next one */
  private endBlock(end = this.lists.length): void {
    const { ids, listEnds, lists, blocks, header, terms } = this;
    if (terms === 0) return;
    header.setUint16(0, terms, true);
    for (let i = 0; i < terms * 2; i++) header.setInt32(COUNT_BYTES + i * 4, ids[i]!, true);
    for (let i = 0; i < terms - 1; i++)
      header.setUint16(COUNT_BYTES + terms * ID_BYTES + i * END_BYTES, listEnds[i]!, true);
    blocks.append(new Uint8Array(header.buffer, 0, listsStart(terms)));
    blocks.append(lists.written().subarray(0, end));
    // Not the first id itself: a service of the version before blocks would take the row for the list of that term.
    this.keys.push(joinTermId(ids[0]!, ids[1]!) - 1n);
    this.blockEnds.push(blocks.length);
    this.chunkCounts.push(terms === 1 ? this.chunks : 0);
    lists.drop(end);
    this.terms = 0;
  }
}

function writeList(
  writer: VarintWriter,
  postings: Int32Array | Float64Array,
  from: number,
  to: number,
): void {
  let last = -1;
  for (let i = from; i < to; i++) {
    const slot = slotOf(postings[i]!);
    const frequency = frequencyOf(postings[i]!);
    writer.write((slot - last - 1) * 2 + (frequency === 1 ? 1 : 0));
    if (frequency > 1) writer.write(frequency);
    last = slot;
  }
}

/** Reads a block. */
export class PostingBlock {
  readonly terms: number;
  readonly listsStart: number;

  constructor(readonly bytes: Buffer) {
    this.terms = bytes.readUInt16LE(0);
    this.listsStart = listsStart(this.terms);
  }

  high(index: number): number {
    return this.bytes.readInt32LE(COUNT_BYTES + index * ID_BYTES);
  }

  low(index: number): number {
    return this.bytes.readInt32LE(COUNT_BYTES + index * ID_BYTES + 4);
  }

  /** The packed postings of a term. */
  list(index: number): Buffer {
    return this.bytes.subarray(index === 0 ? this.listsStart : this.listEnd(index - 1), this.listEnd(index));
  }

  /** Where the packed postings of a term end. Those of the next one start there, and those of the first one at `listsStart`. */
  listEnd(index: number): number {
    if (index === this.terms - 1) return this.bytes.length;
    return this.listsStart + this.bytes.readUInt16LE(COUNT_BYTES + this.terms * ID_BYTES + index * END_BYTES);
  }
}

/** The packed postings of a term in a block; undefined if the block does not have it. */
export function findInBlock(bytes: Buffer, id: bigint): Buffer | undefined {
  const block = new PostingBlock(bytes);
  const [high, low] = splitTermId(id);
  for (let index = 0; index < block.terms; index++)
    if (block.low(index) === low && block.high(index) === high) return block.list(index);
  return undefined;
}

const listsStart = (terms: number) => COUNT_BYTES + terms * ID_BYTES + (terms - 1) * END_BYTES;

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
  private readonly ids: number[] = [];
  private readonly listEnds: number[] = [];
  private readonly lists = new VarintWriter(MAX_BLOCK_BYTES);
  /** The number of postings of the last term. */
  private chunks = 0;

  /** Bytes of the blocks that are packed and not taken. */
  get bytes(): number {
    return this.blocks.length;
  }

  /**
   * @param high the high half of an id that is greater than the previous one
   * @param postings ascending from `from` to `to`: views of parts would be millions of objects
   */
  add(high: number, low: number, postings: Int32Array | Float64Array, from = 0, to = postings.length): void {
    const { lists, listEnds } = this;
    const start = lists.length;
    writeList(lists, postings, from, to);
    const headerBytes = COUNT_BYTES + (listEnds.length + 1) * (ID_BYTES + END_BYTES);
    if (listEnds.length > 0 && headerBytes + lists.length > MAX_BLOCK_BYTES) this.endBlock(start);
    this.ids.push(high, low);
    listEnds.push(lists.length);
    this.chunks = to - from;
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
    const { ids, listEnds, lists, blocks } = this;
    const terms = listEnds.length;
    if (terms === 0) return;
    const header = new DataView(new ArrayBuffer(listsStart(terms)));
    header.setUint16(0, terms, true);
    for (let i = 0; i < terms * 2; i++) header.setInt32(COUNT_BYTES + i * 4, ids[i]!, true);
    for (let i = 0; i < terms - 1; i++)
      header.setUint16(COUNT_BYTES + terms * ID_BYTES + i * END_BYTES, listEnds[i]!, true);
    blocks.append(new Uint8Array(header.buffer));
    blocks.append(lists.written().subarray(0, end));
    // Not the first id itself: a service of the version before blocks would take the row for the list of that term.
    this.keys.push(joinTermId(ids[0]!, ids[1]!) - 1n);
    this.blockEnds.push(blocks.length);
    this.chunkCounts.push(terms === 1 ? this.chunks : 0);
    lists.drop(end);
    ids.length = listEnds.length = 0;
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

  constructor(private readonly bytes: Buffer) {
    this.terms = bytes.readUInt16LE(0);
  }

  high(index: number): number {
    return this.bytes.readInt32LE(COUNT_BYTES + index * ID_BYTES);
  }

  low(index: number): number {
    return this.bytes.readInt32LE(COUNT_BYTES + index * ID_BYTES + 4);
  }

  /** The packed postings of a term. */
  list(index: number): Buffer {
    const start = listsStart(this.terms);
    const from = index === 0 ? start : start + this.end(index - 1);
    return this.bytes.subarray(from, index === this.terms - 1 ? this.bytes.length : start + this.end(index));
  }

  private end(index: number): number {
    return this.bytes.readUInt16LE(COUNT_BYTES + this.terms * ID_BYTES + index * END_BYTES);
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

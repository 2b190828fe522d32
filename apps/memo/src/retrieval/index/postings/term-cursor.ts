import { type Executor } from '@inference/database';
import { PostingBlock } from './posting-blocks';
import { readPostings, type PostingRow } from '../storage/postings.repository';
import { compareTermIds, splitTermId } from '../term-id';

/** Rows read at a time: a few hundred kilobytes. A merge holds as many of each of its segments. */
const ROWS_PER_PAGE = 256;

/** Reads the terms of a segment in the order of their ids, with their packed postings. */
export class TermCursor {
  high = 0;
  low = 0;
  list: Buffer = Buffer.alloc(0);
  private rows: PostingRow[] = [];
  private row = 0;
  private block: PostingBlock | undefined;
  private index = 0;

  private constructor(
    private readonly executor: Executor,
    private readonly segmentId: bigint,
  ) {}

  /** A cursor at the first term; undefined if the segment has no terms. */
  static async open(executor: Executor, segmentId: bigint): Promise<TermCursor | undefined> {
    const cursor = new TermCursor(executor, segmentId);
    return (await cursor.readPage(undefined)) ? cursor : undefined;
  }

  compareTo(other: TermCursor): number {
    return compareTermIds(this.high, this.low, other.high, other.low);
  }

  /** Moves to the next term. Returns false if its row has to be read first (`nextPage`). */
  advance(): boolean {
    this.index += 1;
    if (this.block && this.index < this.block.terms) this.readTerm();
    else if (this.row + 1 < this.rows.length) this.openRow(this.row + 1);
    else return false;
    return true;
  }

  /** Reads the next rows and moves to their first term. Returns false at the end of the segment. */
  nextPage(): Promise<boolean> {
    return this.rows.length < ROWS_PER_PAGE ? Promise.resolve(false) : this.readPage(this.rows.at(-1)![0]);
  }

  private async readPage(after: bigint | undefined): Promise<boolean> {
    this.rows = await readPostings(this.executor, this.segmentId, after, ROWS_PER_PAGE);
    if (this.rows.length === 0) return false;
    this.openRow(0);
    return true;
  }

  private openRow(row: number): void {
    this.row = row;
    this.index = 0;
    const [key, list, block] = this.rows[row]!;
    this.block = block ? new PostingBlock(block) : undefined;
    if (this.block) return this.readTerm();
    [this.high, this.low] = splitTermId(key);
    this.list = list!;
  }

  private readTerm(): void {
    const [block, index] = [this.block!, this.index];
    [this.high, this.low, this.list] = [block.high(index), block.low(index), block.list(index)];
  }
}

import { type Source } from '../extraction/extraction';
import { type FailureCode } from '../extraction/reading-error';
import { type PackedPostings, type Segment } from '../index/segment';
import { type Chunk } from './chunker';
import { type Contents } from './reading';

/** Where in the shared numbers it stands: how many batches were taken, and 1 while the thread waits for that. */
export const TAKEN = 0;
export const WAITING = 1;
export const FLOW_BYTES = 2 * Int32Array.BYTES_PER_ELEMENT;

/** A document that is to be read: its title stands in the index with each of its chunks. */
export interface TitledSource extends Source {
  title: string;
}

/** What the thread is started with; each message to it is a TitledSource. */
export interface ThreadData {
  flow: Int32Array;
  maxCharacters: number;
}

/** For each source any number of batches, which may be empty, and segments, then one of the others. */
export type ThreadMessage =
  | { kind: 'chunks'; chunks: Chunk[]; progress: [processed: number, total: number] | undefined }
  | { kind: 'segment'; segment: Segment; postings: PackedPostings }
  | { kind: 'done'; contents: Contents }
  /** Without a code it is no fault of the document. */
  | { kind: 'failed'; code: FailureCode | undefined; message: string };

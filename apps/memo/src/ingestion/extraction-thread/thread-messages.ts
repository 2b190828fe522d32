import { type Reading, type Source } from '../extraction/extraction';
import { type FailureCode } from '../../tables/extraction-error';
import { type PackedPostings, type PackedSegment } from '../../retrieval/index/segment';
import { type Chunk } from './chunker';

/** Indexes of the shared counters: the number of consumed batches, and 1 while the thread waits for the consumer. */
export const CONSUMED_BATCHES = 0;
export const IS_WAITING = 1;
export const FLOW_CONTROL_BYTES = 2 * Int32Array.BYTES_PER_ELEMENT;

/** Size of the text of a document. */
export interface ExtractionSummary extends Reading {
  /** UTF-16 code units of the leads and texts of all chunks. */
  characters: number;
  chunks: number;
}

/** A document to be extracted. Its title is indexed with each chunk. */
export interface TitledSource extends Source {
  title: string;
}

/** The worker data of the thread. Each message to the thread is a TitledSource, or an array of them: a batch. */
export interface ThreadData {
  flowControl: Int32Array;
  maxCharacters: number;
}

/**
 * What became of a document of a batch: its chunks, which are the next ones of the segment; why its text cannot be extracted;
 * or null if it is to be read alone.
 */
export type BatchedDocument =
  | { chunks: Chunk[]; words: number; reading: Reading }
  | { code: FailureCode; message: string }
  | null;

/** The documents of a batch in their order, and one segment with the chunks of all of them. */
export interface ExtractedBatch {
  documents: BatchedDocument[];
  segment: PackedSegment;
  postings: PackedPostings;
}

/** For each source: any number of batches, which may be empty, and segments; then `done` or `failed`. For a batch: `batch`. */
export type ThreadMessage =
  | { kind: 'chunks'; chunks: Chunk[]; progress: [processed: number, total: number] | undefined }
  | { kind: 'segment'; segment: PackedSegment; postings: PackedPostings }
  | { kind: 'done'; summary: ExtractionSummary }
  | { kind: 'batch'; batch: ExtractedBatch }
  /** Without a code the service is at fault, not the document. */
  | { kind: 'failed'; code: FailureCode | undefined; message: string };

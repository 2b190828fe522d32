import { z } from 'zod';
import { type Passage } from './passage';

/** About a page of text. Bounds the number of query words, and with it the time of a search. */
const MAX_QUERY_CHARS = 4_000;
/** Specified: `k` is 1 to 50, 6 by default. */
const MAX_PASSAGES = 50;
const DEFAULT_PASSAGES = 6;

/** The query, and the maximum number of passages. */
export const queryFields = {
  query: z.string().trim().min(1, 'must not be empty').max(MAX_QUERY_CHARS),
  k: z.int().min(1).max(MAX_PASSAGES).default(DEFAULT_PASSAGES),
};

/** The body of POST …/search. */
export const searchBody = z.strictObject(queryFields);
export type SearchBody = z.output<typeof searchBody>;

/** A passage in the response of a search. */
export interface SearchResult {
  document_id: string;
  external_id: string | null;
  title: string;
  version: number;
  /** Index in the document, from 0. */
  chunk_index: number;
  /** UTF-16 offsets in the text of that version; `text` is the slice between them. */
  start: number;
  end: number;
  score: number;
  text: string;
}

export const resultOf = ({ documentId, externalId, chunkIndex, ...passage }: Passage): SearchResult => ({
  document_id: documentId,
  external_id: externalId,
  title: passage.title,
  version: passage.version,
  chunk_index: chunkIndex,
  start: passage.start,
  end: passage.end,
  score: passage.score,
  text: passage.text,
});

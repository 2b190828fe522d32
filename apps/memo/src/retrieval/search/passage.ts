import { type QueryRelevance } from '../ranking/query-relevance';
import { type DocumentConditions } from './document-conditions.repository';

/** A chunk of a document's stored text, as a search result. */
export interface Passage {
  documentId: string;
  externalId: string | null;
  title: string;
  version: number;
  /** Index in the document, from 0. */
  chunkIndex: number;
  /** UTF-16 offsets in the text of that version. */
  start: number;
  end: number;
  /** Higher is better; comparable only within one search. A BM25 score, or a fused rank with vector search. */
  score: number;
  /** Exactly the slice of the text. */
  text: string;
  /** The page on which it begins, from 1; null in formats without pages. */
  page: number | null;
  /** Offsets in the text of that version at which further pages begin. */
  pageBreaks: number[];
}

/** The page of a position in a passage, or null. */
export const pageAt = (
  { page, pageBreaks }: Pick<Passage, 'page' | 'pageBreaks'>,
  position: number,
): number | null => page && page + pageBreaks.filter((start) => start <= position).length;

/** What is searched for, and in which documents. */
export interface SearchQuery extends DocumentConditions {
  query: string;
  /** Most passages that are returned. */
  k: number;
}

export interface SearchOutcome {
  /** Best first. */
  passages: Passage[];
  relevance: QueryRelevance;
  /** Calls of models that the search cost: their ids in the request log of the caller. */
  requestIds: string[];
}

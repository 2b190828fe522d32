import { type Asked } from '../answers/quotation';

/** A chunk of a document's stored text, as a search finds it. */
export interface Passage {
  documentId: string;
  externalId: string | null;
  title: string;
  version: number;
  /** In the document, from 0. */
  chunkIndex: number;
  /** UTF-16 offsets in the text of that version. */
  start: number;
  end: number;
  /** Higher is better; only those of one search can be compared. By words (BM25), or by ranks when by meaning too. */
  score: number;
  /** Exactly that slice. */
  text: string;
}

export interface Found {
  /** Best first. */
  passages: Passage[];
  asked: Asked;
}

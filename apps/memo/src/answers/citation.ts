import { CITATIONS } from './event-text';
import { collapsed } from './sentences';

/** Where an answer's `[number]` points to: a slice of a document's stored text. */
export interface Citation {
  number: number;
  documentId: string;
  title: string;
  version: number;
  chunkIndex: number;
  /** UTF-16 offsets in the text of that version. */
  start: number;
  end: number;
  /** That slice, with its white space collapsed. */
  snippet: string;
}

/**
 * The last line of an answer (spec: Workspace chat), such as
 * `Citations: [1] "Refund policy" (doc_8f2#3): "Refunds are issued within five days."`
 */
export function citationsLine(citations: Citation[]): string {
  const parts = citations.map(({ number, title, documentId, chunkIndex, snippet }) => {
    return `[${number}] "${quotable(title)}" (${documentId}#${chunkIndex}): "${snippet}"`;
  });
  return `${CITATIONS} ${parts.length === 0 ? 'none' : parts.join(' ')}`;
}

/** A title is not quoted word for word, so its own quotation marks may be others. */
const quotable = (title: string) => collapsed(title).replaceAll('"', "'");

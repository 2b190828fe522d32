import { CITATIONS_PREFIX } from '../answers/event-splitter';
import { collapseWhitespace } from '../sentences/sentence-segmentation';

/** The slice of a document's stored text to which a marker `[number]` of an answer refers. */
export interface Citation {
  number: number;
  documentId: string;
  title: string;
  version: number;
  chunkIndex: number;
  /** UTF-16 offsets in the text of that version. */
  start: number;
  end: number;
  /** The slice with its white space collapsed. */
  snippet: string;
}

/**
 * The last line of an answer, for example
 * `Citations: [1] "Refund policy" (doc_8f2#3): "Refunds are issued within five days."`
 */
export function citationsLine(citations: Citation[]): string {
  const parts = citations.map(({ number, title, documentId, chunkIndex, snippet }) => {
    return `[${number}] "${quotable(title)}" (${documentId}#${chunkIndex}): "${snippet}"`;
  });
  return `${CITATIONS_PREFIX} ${parts.length === 0 ? 'none' : parts.join(' ')}`;
}

/** Replaces double quotes. A title need not be verbatim. */
const quotable = (title: string) => collapseWhitespace(title).replaceAll('"', "'");

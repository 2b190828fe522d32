import { CITATIONS_PREFIX } from '../answers/event-splitter';
import { collapseWhitespace } from '../sentences/sentence-segmentation';
import { type MessageCitation } from '../../tables/conversation.entity';

/** A citation of an answer that may not be stored yet. */
export type Citation = Omit<MessageCitation, 'messageId'>;

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

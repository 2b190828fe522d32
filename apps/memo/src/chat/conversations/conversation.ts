import { type Passage } from '../../retrieval/search/passage';
import { type Citation } from '../citations/citation';

export const MESSAGE_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export interface ConversationRef {
  id: string;
  /** The conversation is created with its first exchange. */
  isNew: boolean;
}

/** A passage that an answer was written from. Its text is read from the document, so that it is gone with the version. */
export type UsedPassage = Pick<Passage, 'documentId' | 'version' | 'chunkIndex' | 'score'>;

/** An answer that has ended. */
export interface Answer {
  id: string;
  content: string;
  status: MessageStatus;
  model: string | null;
  citations: Citation[];
  /** Calls of models that it cost. */
  requestIds: string[];
  /** The passage with number 1 first. */
  passages: UsedPassage[];
}

import { type Citation } from '../citations/citation';

export const MESSAGE_STATUSES = ['completed', 'failed', 'cancelled'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export interface ConversationRef {
  id: string;
  /** The conversation is created with its first exchange. */
  isNew: boolean;
}

/** An answer that has ended. */
export interface Answer {
  id: string;
  content: string;
  status: MessageStatus;
  model: string | null;
  citations: Citation[];
}

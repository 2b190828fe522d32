import { type Citation } from '../citations/citation';
import { type MessageStatus, type UsedPassage } from '../../tables/message.entity';

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
  /** Calls of models that it cost. */
  requestIds: string[];
  /** The passage with number 1 first. */
  passages: UsedPassage[];
  /** The sentences of `content` that nothing supports. */
  unsupported: { start: number; end: number }[];
}

import { type Citation } from '../answers/citation';

export type MessageStatus = 'completed' | 'failed' | 'cancelled';

export interface ConversationView {
  id: string;
  /** The beginning of its first question. */
  title: string;
  created_at: string;
  updated_at: string;
}

export interface CitationView {
  number: number;
  document_id: string;
  title: string;
  version: number;
  chunk_index: number;
  start: number;
  end: number;
  snippet: string;
}

export interface MessageView {
  /** In the conversation, from 1. */
  n: number;
  id: string;
  role: 'user' | 'assistant';
  content: string;
  status: MessageStatus;
  /** What wrote an answer; null for an extract of the documents. */
  model: string | null;
  /** Those whose documents are still there. */
  citations: CitationView[];
  created_at: string;
}

export interface ConversationRef {
  id: string;
  /** It begins with what is written next. */
  isNew: boolean;
}

/** An answer when it has ended. */
export interface Answer {
  id: string;
  content: string;
  status: MessageStatus;
  model: string | null;
  citations: Citation[];
}

import { type Citation } from '../citations/citation';

export type MessageStatus = 'completed' | 'failed' | 'cancelled';

export interface ConversationView {
  id: string;
  /** The beginning of the first question. */
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
  /** Number in the conversation, from 1. */
  n: number;
  id: string;
  role: 'user' | 'assistant';
  content: string;
  status: MessageStatus;
  /** The model that wrote the answer; null for an extractive answer. */
  model: string | null;
  /** Citations of documents that still exist. */
  citations: CitationView[];
  created_at: string;
}

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

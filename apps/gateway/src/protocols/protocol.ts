import { type CalledEndpoint } from '../upstreams/upstream';
import { type AnswerWriter } from './chat/chat-translation';
import { type Fields } from './fields';
import { type ReadBody } from './json';

/** A request in the words of chat completions, and who writes its answer. */
export interface TranslatedRequest {
  chat: Fields;
  isStream: boolean;
  /** What has no effect on the answer of a chat server and is left out. The client learns it in a header. */
  ignored: string[];
  writer(requestId: string): AnswerWriter;
}

/** A protocol that is served through chat completions. Admission, holds, metering and settlement do not know it. */
export interface Protocol {
  endpoint: CalledEndpoint;
  /** Translates a body. Throws InvalidValueError, which names what is wrong or cannot be carried over. */
  read(body: ReadBody): TranslatedRequest;
}

/** Names what was left out of a request. */
export const IGNORED_HEADER = 'X-Ignored-Fields';

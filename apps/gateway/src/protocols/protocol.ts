import { type Request } from 'express';
import { type UniqueNames } from '@inference/http';
import { type NativeCall } from '../proxy/native-call';
import { type FieldValue } from '../proxy/upstream-body';
import { type NativeProtocol } from '../upstreams/upstream';
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

/** A protocol that upstreams speak, or that is served through chat completions. Admission, holds and settlement do not know it. */
export interface Protocol {
  endpoint: NativeProtocol;
  /** Translates a body. Throws InvalidValueError, which names what is wrong or cannot be carried over. */
  read(body: ReadBody): TranslatedRequest;
  /** How a request that can be read is passed on to upstreams that speak the protocol. */
  native: Pick<NativeCall, 'reader' | 'limitField'> & {
    /** Names of the fields that may be given once. */
    fields: UniqueNames;
    headersOf(request: Request): Record<string, string>;
    imposedOn(fields: Fields): Record<string, FieldValue>;
  };
}

/** Clients and proxies refuse an answer with long headers; Node's take 16 kB for all of them. */
const MOST_HEADER_CHARS = 1_000;

/** The header for what was left out: each kind once, however many tools or items have it. */
export function ignoredHeader(ignored: readonly string[]): string {
  const kinds = [...new Set(ignored.map((name) => name.replace(/\.\d+(?=[. ]|$)/g, '.*')))];
  const shown: string[] = [];
  let length = 0;
  for (const kind of kinds) {
    length += kind.length + 2;
    if (length > MOST_HEADER_CHARS) break;
    shown.push(kind);
  }
  const rest = kinds.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}

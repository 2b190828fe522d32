import { type Request, type Response } from 'express';
import { type UniqueNames } from '@inference/http';
import { type ChatTranslator } from '../proxy/chat-translators';
import { type NativeCall } from '../proxy/native-call';
import { type AnswerKeeper } from '../proxy/streaming/proxy-stream';
import { type FieldValue } from '../proxy/upstream-body';
import { type CallNotes } from '../unserved-calls/call-notes';
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
  /** Whether tools were left out that a server of the protocol runs itself. */
  hasServerTools: boolean;
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
    forChat: ChatTranslator;
  };
}

/** A request, and its bytes for upstreams that speak the protocol. */
export interface SentRequest {
  body: ReadBody;
  raw: Buffer;
  /** Stores the answer. Undefined: it is not stored. */
  keeper?: AnswerKeeper | undefined;
}

/** Conversations that are stored for their accounts. */
export interface Conversations {
  /** Returns the request with what was said before it. Throws GatewayError. */
  open(call: CallNotes, sent: SentRequest, response: Response): Promise<SentRequest>;
}

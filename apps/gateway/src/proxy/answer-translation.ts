import { type NativeCall } from './native-call';

/** Turns what a chat server answers into the words of another protocol, for one request. */
export interface AnswerTranslation {
  /** For upstreams that speak the protocol, whose answers are not translated. */
  readonly native: NativeCall;
  /** An event without content, which is sent in a pause of a stream; a comment if undefined. */
  readonly ping: string | undefined;
  /** A plain answer, also a refusal. */
  plain(status: number, body: Buffer): { body: string; contentType: string };
  /** Events of a stream. Each character is one byte, as in SseEvent; so it is in what is returned. */
  pass(events: string): string;
  /** The last events of a stream, whose answer is charged or has failed. */
  end(events: string): string;
}

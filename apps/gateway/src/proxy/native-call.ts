import { type JsonMember } from '@inference/http';
import { type Charge } from '@inference/metering';
import { type SseEvent } from '@inference/sse';
import { type OpenAiErrorBody } from '../errors/openai-error';
import { type NativeBody } from './request/proxy-request';
import { type FieldValue } from './upstream-body';

/** What one event of a stream says. */
export interface NativeEvent {
  /** Holds the usage so far at its top. */
  report?: object | undefined;
  /** What it adds to the answer. */
  text?: string | undefined;
  /** The last event of an answer, or of one that has failed. */
  isLast?: boolean;
  failed?: boolean;
  /** Why the answer ends. */
  finishReason?: unknown;
  /** What an event that ends the answer with an error repeats of it. */
  head?: object | undefined;
  /** Of the event, where the events of a protocol are numbered. */
  sequenceNumber?: unknown;
}

/** An error that ends a stream in the protocol of its client. */
export interface StreamError {
  status: number;
  error: OpenAiErrorBody['error'];
  requestId: string;
  /** What the last event with one has said. */
  head: object | undefined;
  /** What the event that tells the error has, where the events of a protocol are numbered. */
  sequenceNumber: number;
}

/** Reads and prices the answers of a protocol as upstreams give them that speak it. */
export interface NativeReader {
  /** Whether a body of status 200 is an answer. */
  isAnswer(content: object): boolean;
  isRefusal(content: object): boolean;
  /** Whatever the model has written in a plain answer. */
  textOf(content: object): string;
  finishReasonOf(content: object): unknown;
  eventOf(data: object): NativeEvent;
  /** Sets the price in the usage of an event. @param charge see `withCost` */
  withCost(event: SseEvent, charge: Charge | null): SseEvent;
  /** The events that tell an error in a stream that has begun. */
  errorEvents(error: StreamError): SseEvent;
}

/** A request as its client has sent it, for upstreams that speak its protocol. */
export interface NativeCall extends NativeBody {
  reader: NativeReader;
  /** Headers of the client that are passed on, and those that upstreams demand. */
  headers: Readonly<Record<string, string>>;
  /** Where the values of the fields that decide on admission and price are in the bytes. Throws InvalidValueError for one given twice. */
  members(): readonly JsonMember[];
  /** The field of the limit. */
  limitField: string;
  /** Fields that are set in every request. */
  imposed: Record<string, FieldValue>;
}

import { type MeterCounts, type PriceUnit, type UsageBounds } from '@inference/metering';
import { type ReportedUsage } from '../proxy/usage/reported-usage';
import { type ReadAnswer } from '../upstreams/answer-json';
import { type TaskEndpoint } from '../upstreams/upstream';

export type Fields = Record<string, unknown>;

/** What has arrived of an answer. */
export interface TaskAnswer {
  reported: ReportedUsage | null;
  /** What the gateway counts of the answer itself. */
  produced: MeterCounts;
}

/** Reads the events of a stream, whose form the task knows. */
export interface TaskEvents {
  /** Whether an event may be the last one of the answer: it waits until the request is billed. */
  read(event: Fields): boolean;
  /** Null before an event has ended the answer. */
  readonly answer: TaskAnswer | null;
  /** Of an answer that has not ended: what a client that leaves has got of it. */
  readonly begun: TaskAnswer | null;
}

/** The part of a request to a model with one task that the gateway interprets. */
export interface TaskRequest {
  model: string;
  /** Of a body that is no JSON. */
  contentType?: string;
  /** The client's bytes with the upstream's own name of the model. */
  bodyFor(upstreamModel: string): Buffer;
  /** The most that the request may use. */
  bounds: UsageBounds;
  /** What the gateway counts of the request itself; due as soon as an upstream has the request. */
  asked(): MeterCounts;
  /** Reads a whole answer. Null if it is none. */
  read(body: Buffer): ReadAnswer<TaskAnswer>;
  /** Whether the client has asked for server-sent events. */
  isStream?: boolean;
  /** Of an answer that comes as server-sent events. */
  events?(): TaskEvents;
  /** Whether the answer is passed on as bytes, unread: audio. */
  isBinary?: boolean;
}

/** An endpoint of models with one task. */
export interface Task {
  endpoint: TaskEndpoint;
  /** What the endpoint counts, for messages: `images, tokens of its output or requests`. */
  counts: string;
  /** Units of which a model needs a price, or else its calls would be free. */
  pricedBy: readonly PriceUnit[];
  /** Throws InvalidJsonError and InvalidValueError. @param onModel hears which model is named, also if the request is refused after that */
  read(body: TaskBody, onModel: (model: unknown) => void): Promise<TaskRequest>;
}

/** A body as it has arrived. */
export interface TaskBody {
  bytes: Buffer;
  contentType: string;
  /** Throws if the client has left. */
  requireClient(): void;
}

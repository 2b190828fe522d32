import { type IncomingHttpHeaders } from 'node:http';
import { type Behaviour, type NotificationFaults } from './behaviour';
import { type Order } from './orders';

/** A call of the provider's own API. */
export interface WireRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  /** Path and query as they came, which some providers sign. */
  target: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A notification, ready to be posted. */
export interface WireNotification {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export type ApiCall = keyof Behaviour['api'];

/** What a protocol is told by the sandbox around it. */
export interface ProtocolContext {
  /** Without a trailing slash, e.g. http://127.0.0.1:3092; the page of an order is /orders/{id}. */
  sandboxUrl(): string;
  /** How such a call is to fail; undefined when it is not. */
  api(call: ApiCall): Behaviour['api'][ApiCall];
}

/** One provider's wire protocol over the orders that all of them share. */
export interface Protocol {
  /**
   * Answers a call of its API, checking its signature as the provider does; null when the path is not its own. Never
   * resolves for a call that is to hang; throws a ConnectionCut after one whose answer is to be lost.
   */
  answer(request: WireRequest): Promise<WireAnswer | null>;
  /**
   * What it tells the merchant of the order as it is now, signed, with the faults that were asked for; null when
   * it tells nothing of that.
   */
  notification(order: Order, faults: NotificationFaults): WireNotification | null;
  isAcknowledged(answer: { status: number; body: string }): boolean;
}

import { type IncomingHttpHeaders } from 'node:http';
import { type InjectedFaults, type NotificationFaults } from './injected-faults';
import { type Order } from './orders/order';

/** An incoming HTTP request. */
export interface WireRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  /** Path and query as received, because some providers sign them. */
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

export type ApiCall = keyof InjectedFaults['api'];

/** What a protocol reads from the sandbox. */
export interface ProtocolContext {
  /** Without a trailing slash, e.g. http://127.0.0.1:3092; the page of an order is /orders/{id}. */
  sandboxUrl(): string;
  /** The configured fault of such a call, or undefined if there is none. */
  api(call: ApiCall): InjectedFaults['api'][ApiCall];
}

/** The wire protocol of one provider. All providers share the orders. */
export interface Protocol {
  /**
   * Answers a call of the provider's API and verifies its signature as the provider does. Returns null if the path
   * belongs to another protocol. Never resolves if the fault is `hang`. Throws a ConnectionReset if the fault is `lost`.
   */
  answer(request: WireRequest): Promise<WireAnswer | null>;
  /**
   * The signed notification about the current state of the order, with the given faults. Null if the provider sends
   * no notification for this state.
   */
  notification(order: Order, faults: NotificationFaults): WireNotification | null;
  isAcknowledged(answer: { status: number; body: string }): boolean;
}

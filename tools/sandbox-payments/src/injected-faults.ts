import { z } from 'zod';

const count = z.number().int().min(0).max(1_000);
/** true: all notifications; a number: the first ones of each order. */
const some = z.union([z.boolean(), count]).default(false);

/** The injected faults. By default there are none. */
export const injectedFaults = z.strictObject({
  /** The number of times that each notification is sent. */
  duplicate: z.number().int().min(1).max(100).default(1),
  /** The maximum of the random delay of each notification, in milliseconds. */
  delay_ms: z.number().int().min(0).max(600_000).default(0),
  /** Held back until `POST /_sandbox/flush`, then sent in a random order. */
  reorder: z.boolean().default(false),
  /** Notifications that are never sent, nor retried. */
  drop: some,
  wrong_signature: some,
  /** This and the following faults have a valid signature. */
  wrong_amount: some,
  wrong_currency: some,
  wrong_merchant: some,
  old_timestamp: some,
  future_timestamp: some,
  /** Allows the payment of expired, closed and failed orders. */
  paid_after_expiry: z.boolean().default(false),
  /**
   * Faults of API calls: an error status; no answer (`hang`); a connection that is cut after the call took effect
   * (`lost`); an `unsigned` or `garbage` answer.
   */
  api: z
    .partialRecord(
      z.enum(['open', 'query', 'close', 'refund']),
      z.union([z.number().int().min(400).max(599), z.enum(['hang', 'lost', 'unsigned', 'garbage'])]),
    )
    .default({}),
});

export type InjectedFaults = z.output<typeof injectedFaults>;
export const NO_FAULTS: InjectedFaults = injectedFaults.parse({});

/** The faults of one notification. */
export interface NotificationFaults {
  wrongSignature: boolean;
  wrongAmount: boolean;
  wrongCurrency: boolean;
  wrongMerchant: boolean;
  oldTimestamp: boolean;
  futureTimestamp: boolean;
}

/** Thrown by a protocol if the call took effect but the connection is to be cut without an answer. */
export class ConnectionReset extends Error {}

import { z } from 'zod';

const count = z.number().int().min(0).max(1_000);
/** true: every one; a number: the first so many of an order. */
const some = z.union([z.boolean(), count]).default(false);

/** How the sandbox misbehaves when it is told to; without anything it does not. */
export const behaviour = z.strictObject({
  /** How many times each notification is sent. */
  duplicate: z.number().int().min(1).max(100).default(1),
  /** Each is sent after a random time up to so many milliseconds. */
  delay_ms: z.number().int().min(0).max(600_000).default(0),
  /** Held back until `POST /_sandbox/flush`, then sent in a random order. */
  reorder: z.boolean().default(false),
  /** Notifications that are never sent, nor sent again. */
  drop: some,
  wrong_signature: some,
  /** These are signed with the right key. */
  wrong_amount: some,
  wrong_currency: some,
  wrong_merchant: some,
  old_timestamp: some,
  future_timestamp: some,
  /** An order that has expired or was closed can be paid all the same. */
  paid_after_expiry: z.boolean().default(false),
  /**
   * What calls of the API get: a status; no answer (`hang`); `lost`: it takes effect, then the connection is cut;
   * `unsigned` and `garbage` answers.
   */
  api: z
    .partialRecord(
      z.enum(['open', 'query', 'close', 'refund']),
      z.union([z.number().int().min(400).max(599), z.enum(['hang', 'lost', 'unsigned', 'garbage'])]),
    )
    .default({}),
});

export type Behaviour = z.output<typeof behaviour>;
export const GOOD_BEHAVIOUR: Behaviour = behaviour.parse({});

/** What is wrong with one notification. */
export interface NotificationFaults {
  wrongSignature: boolean;
  wrongAmount: boolean;
  wrongCurrency: boolean;
  wrongMerchant: boolean;
  oldTimestamp: boolean;
  futureTimestamp: boolean;
}

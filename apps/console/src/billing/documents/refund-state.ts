import { type Refund } from '../payments/entities/refund.entity';
import { refundedMinor } from '../payments/minor-amount';

/** `pending`: a refund is under way and nothing was given back yet. */
export type RefundState = 'pending' | 'partial' | 'full';

/** The refunds that a document shows: those that have succeeded or are under way. */
export const shownRefunds = (refunds: Refund[]): Refund[] =>
  refunds.filter(({ status }) => status !== 'failed');

/** What has become of the money of a document's payment; null if no refund is shown. */
export function refundStateOf(totalMinor: bigint, refunds: Refund[]): RefundState | null {
  const givenBack = refundedMinor(refunds);
  if (givenBack > 0n) return givenBack < totalMinor ? 'partial' : 'full';
  return shownRefunds(refunds).length > 0 ? 'pending' : null;
}

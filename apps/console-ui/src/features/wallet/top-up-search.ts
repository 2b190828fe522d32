import { type Figure } from '../../figures/figure';
import { PAYMENT_DECIMALS, readAmount } from '../../figures/typed-amount';

/** What the address of the page to top up proposes; a text of another form is left out. */
export const topUpSearchIn = ({ amount }: Record<string, unknown>): { amount?: string } => {
  const text = typeof amount === 'number' ? String(amount) : amount;
  const proposed = typeof text === 'string' ? readAmount(text, PAYMENT_DECIMALS) : undefined;
  return proposed && !proposed.isZero ? { amount: proposed.toString() } : {};
};

/** A proposed amount within the bounds. */
export function proposedAmount(text: string | undefined, least: Figure, most: Figure): Figure | undefined {
  const amount = text === undefined ? undefined : readAmount(text, PAYMENT_DECIMALS);
  if (!amount) return undefined;
  if (amount.compare(least) < 0) return least;
  return amount.compare(most) > 0 ? most : amount;
}

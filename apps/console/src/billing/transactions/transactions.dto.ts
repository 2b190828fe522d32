import { type Currency } from '@inference/config';
import { type ExactNumber, exactNumber, picosToDecimal } from '@inference/money';
import { type StatementLine } from '@inference/wallet';

/** Spec: Wallet transaction. */
export interface TransactionView {
  id: string;
  type: StatementLine['type'];
  /** Signed: negative for a deduction. */
  amount: ExactNumber;
  currency: Currency;
  /** ISO 8601. */
  created_at: string;
  description: string;
}

export function transactionView(line: Omit<StatementLine, 'position'>, currency: Currency): TransactionView {
  return {
    id: line.id,
    type: line.type,
    amount: exactNumber(picosToDecimal(line.amountPicos)),
    currency,
    created_at: line.createdAt.toISOString(),
    description: line.description,
  };
}

import { type Executor } from '@inference/database';
import { InsufficientFundsError } from './ledger';
import { recallLeases } from './wallets.repository';

/**
 * How long a deduction waits for the gateways to return money. A gateway returns it within some hundredths of a second;
 * half is short for a loaded one, twice delays the refusal of money that requests hold.
 */
const RECALL_WAIT_MILLIS = 1_000;
/** Interval at which the deduction is tried and the gateways are asked again. */
const RECALL_POLL_MILLIS = 50;

/**
 * Runs a transaction that deducts money from a wallet. If only leases are in the way, asks the gateways for the money that
 * no request holds, and runs the transaction again for up to a second. No lease is reduced without its gateway, which may be
 * spending it. Throws the last InsufficientFundsError, and every other error of the transaction at once.
 */
export async function withLeaseRecall<T>(executor: Executor, transaction: () => Promise<T>): Promise<T> {
  const giveUpAtMillis = performance.now() + RECALL_WAIT_MILLIS;
  for (;;) {
    try {
      return await transaction();
    } catch (error) {
      const isRecallable = error instanceof InsufficientFundsError && error.isCoveredByBalance;
      if (!isRecallable || performance.now() > giveUpAtMillis) throw error;
      await recallLeases(executor, error.accountId, RECALL_WAIT_MILLIS / 1_000);
    }
    await new Promise((resolve) => setTimeout(resolve, RECALL_POLL_MILLIS));
  }
}

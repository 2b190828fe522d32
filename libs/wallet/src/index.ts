export {
  postTransfer,
  type Posting,
  type PostedTransfer,
  InsufficientFundsError,
  ReferenceReusedError,
} from './ledger';
export { withLeaseRecall } from './lease-recall';
export { openKeyBudget, openWallet, readWallet } from './wallets';
export { KeyBudget } from './key-budget.entity';
export { Lease } from './lease.entity';
export { LedgerEntry } from './ledger-entry.entity';
export { Transfer } from './transfer.entity';
export { Wallet } from './wallet.entity';
export { readStatement, type StatementLine, type StatementPosition } from './statement';

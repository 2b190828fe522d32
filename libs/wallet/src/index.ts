export {
  postTransfer,
  type Posting,
  type PostedTransfer,
  InsufficientFundsError,
  ReferenceReusedError,
} from './ledger';
export { withLeaseRecall } from './lease-recall';
export { openWallet, readWallet, type Wallet } from './wallets';
export { readStatement, type StatementLine, type StatementPosition } from './statement';

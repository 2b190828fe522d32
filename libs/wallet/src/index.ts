export {
  postTransfer,
  type Posting,
  type PostedTransfer,
  InsufficientFundsError,
  ReferenceReusedError,
} from './ledger';
export { withLeaseRecall } from './lease-recall';
export {
  changeBudgetZone,
  changeKeyLimit,
  type KeySpending,
  openKeyBudget,
  openWallet,
  readKeySpending,
  readWallet,
  readWallets,
  recallLeases,
} from './wallets.repository';
export { findTransfer } from './transfers.repository';
export { Wallet } from './wallet.entity';
export { closedHoursEnd, readMovements, type WalletMovement } from './movements.repository';
export { WALLET_ENTITIES } from './wallet.entity';

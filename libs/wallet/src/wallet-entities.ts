import { KeyBudget } from './key-budget.entity';
import { Lease } from './lease.entity';
import { LedgerEntry } from './ledger-entry.entity';
import { Transfer } from './transfer.entity';
import { Wallet } from './wallet.entity';

/** The tables of the ledger. A service that only reads balances maps Wallet alone. */
export const WALLET_ENTITIES = [KeyBudget, Lease, LedgerEntry, Transfer, Wallet];

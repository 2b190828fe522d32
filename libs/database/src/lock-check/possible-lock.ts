import { type RangeVar } from 'libpg-query';
import { type Catalogue } from './catalogue';

/** What a statement does for as long as it takes to read or write a whole table, while others cannot write to it. */
export interface PossibleLock {
  /** A table, or one of its indexes. Absent if it may be any table. */
  relation?: RangeVar;
  action: string;
  instead: string;
  /** Absent if the table is always locked. */
  applies?: (catalogue: Catalogue, tableOid: string) => Promise<boolean>;
}

export const WITH_INDEX_FIRST =
  'CREATE UNIQUE INDEX CONCURRENTLY in a migration without a transaction, then ADD CONSTRAINT … USING INDEX';
export const VALIDATE_LATER =
  'ADD CONSTRAINT … NOT VALID, then VALIDATE CONSTRAINT in a migration of its own';

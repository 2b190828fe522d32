/** One invariant of the ledger. */
export interface Check {
  name: string;
  /** Returns one row per violation, with columns that help to find it. */
  sql: string;
}

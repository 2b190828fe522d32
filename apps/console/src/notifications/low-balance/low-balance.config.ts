export const LOW_BALANCE_CONFIG = Symbol('LOW_BALANCE_CONFIG');

/** When an account is told that its balance is low. */
export interface LowBalanceConfig {
  /** For accounts that have not chosen one, in picos of the site's currency. */
  thresholdPicos: bigint;
}

import { env } from '@inference/config';

export const settlementFields = {
  /** Seconds for which settlement is retried while the database is unavailable; then the response fails with 503. */
  SETTLEMENT_PATIENCE_SECONDS: env.number(0.1, 300).default(20),
};

export interface SettlementConfig {
  retryTimeoutSeconds: number;
}

export const SETTLEMENT_CONFIG = Symbol('SETTLEMENT_CONFIG');

export const settlementOf = (config: { SETTLEMENT_PATIENCE_SECONDS: number }): SettlementConfig => ({
  retryTimeoutSeconds: config.SETTLEMENT_PATIENCE_SECONDS,
});

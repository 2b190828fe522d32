import { CURRENCY_BY_SITE, type Currency, env, type Site } from '@inference/config';
import { decimalToPicos } from '@inference/money';
import { z } from 'zod';

export const leasesFields = {
  /**
   * Amount that one gateway process draws from a wallet at a time, in the site's currency, in addition to what waiting
   * requests need.
   */
  LEASE_AMOUNT: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,12})?$/, 'must be an amount')
    .default('1')
    .transform((value) => decimalToPicos(value)),
  /** Seconds until an unrenewed lease expires and its money returns to the wallet. */
  LEASE_TTL_SECONDS: env.integer(1, 3600).default(30),
  /** Where people use the console in a browser: a refusal for want of money names its page to top up. */
  CONSOLE_UI_URL: env.httpUrl().optional(),
};

export interface LeasesConfig {
  leaseAmountPicos: bigint;
  ttlSeconds: number;
  /** Of all wallets. */
  currency: Currency;
  /** The page on which a wallet is topped up; undefined if it is not known. */
  topUpUrl: string | undefined;
}

export const LEASES_CONFIG = Symbol('LEASES_CONFIG');

export const leasesOf = (config: {
  LEASE_AMOUNT: bigint;
  LEASE_TTL_SECONDS: number;
  SITE: Site;
  CONSOLE_UI_URL?: string | undefined;
}): LeasesConfig => ({
  leaseAmountPicos: config.LEASE_AMOUNT,
  ttlSeconds: config.LEASE_TTL_SECONDS,
  currency: CURRENCY_BY_SITE[config.SITE],
  topUpUrl: config.CONSOLE_UI_URL === undefined ? undefined : `${config.CONSOLE_UI_URL}/top-up`,
});

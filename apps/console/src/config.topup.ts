import { type Site } from '@inference/config';
import { decimalToPicos, InvalidAmountError } from '@inference/money';
import { z } from 'zod';

/** Payment providers count in hundredths. */
const MONEY_DECIMALS = 2;

function moneyPicos(text: string, context: z.RefinementCtx): bigint {
  try {
    const picos = decimalToPicos(text, MONEY_DECIMALS);
    if (picos > 0n) return picos;
    context.addIssue({ code: 'custom', message: 'must be positive' });
  } catch (error) {
    if (!(error instanceof InvalidAmountError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
  return z.NEVER;
}

const money = () => z.string().transform(moneyPicos);
const moneyList = () =>
  z.string().transform((text, context) => text.split(',').map((part) => moneyPicos(part.trim(), context)));

export const topupFields = {
  MIN_TOPUP: money().optional(),
  MAX_TOPUP: money().optional(),
  /** Comma-separated amounts that the wallet page offers. */
  TOPUP_PRESETS: moneyList().optional(),
  LOW_BALANCE_THRESHOLD: money().optional(),
};

type TopupFields = { SITE: Site } & {
  [Name in keyof typeof topupFields]?: z.output<(typeof topupFields)[Name]>;
};

/** Amounts in picos of the site's currency. */
interface TopupPicos {
  min: bigint;
  max: bigint;
  presets: bigint[];
  lowBalanceThreshold: bigint;
}

const toPicos = (amounts: number[]) => amounts.map((amount) => decimalToPicos(amount));

const DEFAULT_TOPUP: Record<Site, TopupPicos> = {
  intl: {
    min: decimalToPicos(5),
    max: decimalToPicos(10_000),
    presets: toPicos([10, 20, 50, 100, 500]),
    lowBalanceThreshold: decimalToPicos(5),
  },
  cn: {
    min: decimalToPicos(10),
    max: decimalToPicos(50_000),
    presets: toPicos([50, 100, 200, 500, 1_000]),
    lowBalanceThreshold: decimalToPicos(20),
  },
};

export function topupOf(config: TopupFields): TopupPicos {
  const defaults = DEFAULT_TOPUP[config.SITE];
  const min = config.MIN_TOPUP ?? defaults.min;
  const max = config.MAX_TOPUP ?? defaults.max;
  return {
    min,
    max,
    // Moving the bounds alone must not stop the start over presets that nobody set.
    presets: config.TOPUP_PRESETS ?? defaults.presets.filter((amount) => amount >= min && amount <= max),
    lowBalanceThreshold: config.LOW_BALANCE_THRESHOLD ?? defaults.lowBalanceThreshold,
  };
}

/** A variable at fault has no amount to compare. */
const exceeds = (amount: unknown, limit: unknown) =>
  typeof amount === 'bigint' && typeof limit === 'bigint' && amount > limit;

export function hasOrderedBounds({ SITE, MIN_TOPUP, MAX_TOPUP }: TopupFields): boolean {
  const defaults: TopupPicos | undefined = DEFAULT_TOPUP[SITE];
  return !exceeds(MIN_TOPUP ?? defaults?.min, MAX_TOPUP ?? defaults?.max);
}

export function hasPresetsInBounds({ SITE, MIN_TOPUP, MAX_TOPUP, TOPUP_PRESETS }: TopupFields): boolean {
  const defaults: TopupPicos | undefined = DEFAULT_TOPUP[SITE];
  const presets = Array.isArray(TOPUP_PRESETS) ? TOPUP_PRESETS : [];
  return !presets.some(
    (amount) => exceeds(MIN_TOPUP ?? defaults?.min, amount) || exceeds(amount, MAX_TOPUP ?? defaults?.max),
  );
}

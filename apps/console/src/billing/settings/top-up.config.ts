import { type Site } from '@inference/config';
import { decimalToPicos, InvalidAmountError } from '@inference/money';
import { z } from 'zod';

export const TOP_UP_CONFIG = Symbol('TOP_UP_CONFIG');

/** Payment providers count in hundredths of the currency. */
const MONEY_DECIMALS = 2;

function readPicos(text: string, context: z.RefinementCtx): bigint {
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

const amountField = () => z.string().transform(readPicos);
const amountListField = () =>
  z.string().transform((text, context) => text.split(',').map((part) => readPicos(part.trim(), context)));

/** All amounts are in the site's currency, with at most two decimals. */
export const topUpFields = {
  /** Smallest top-up; 5 USD or 10 CNY by default. */
  MIN_TOPUP: amountField().optional(),
  /** Largest top-up; 10000 USD or 50000 CNY by default. */
  MAX_TOPUP: amountField().optional(),
  /** Comma-separated amounts that the wallet page offers; by default the site's presets within the bounds. */
  TOPUP_PRESETS: amountListField().optional(),
  /** Balance below which an account gets a mail; 5 USD or 20 CNY by default. */
  LOW_BALANCE_THRESHOLD: amountField().optional(),
};

type Fields = { SITE: Site } & {
  [Name in keyof typeof topUpFields]?: z.output<(typeof topUpFields)[Name]>;
};

/** Amounts in picos of the site's currency. */
export interface TopUpConfig {
  minPicos: bigint;
  maxPicos: bigint;
  presetsPicos: bigint[];
  lowBalanceThresholdPicos: bigint;
}

const toPicos = (amounts: number[]) => amounts.map((amount) => decimalToPicos(amount));

const DEFAULTS: Record<Site, TopUpConfig> = {
  intl: {
    minPicos: decimalToPicos(5),
    maxPicos: decimalToPicos(10_000),
    presetsPicos: toPicos([10, 20, 50, 100, 500]),
    lowBalanceThresholdPicos: decimalToPicos(5),
  },
  cn: {
    minPicos: decimalToPicos(10),
    maxPicos: decimalToPicos(50_000),
    presetsPicos: toPicos([50, 100, 200, 500, 1_000]),
    lowBalanceThresholdPicos: decimalToPicos(20),
  },
};

export function topUpOf(config: Fields): TopUpConfig {
  const defaults = DEFAULTS[config.SITE];
  const minPicos = config.MIN_TOPUP ?? defaults.minPicos;
  const maxPicos = config.MAX_TOPUP ?? defaults.maxPicos;
  const isInBounds = (picos: bigint) => picos >= minPicos && picos <= maxPicos;
  return {
    minPicos,
    maxPicos,
    // Default presets outside configured bounds are left out instead of stopping the start.
    presetsPicos: config.TOPUP_PRESETS ?? defaults.presetsPicos.filter(isInBounds),
    lowBalanceThresholdPicos: config.LOW_BALANCE_THRESHOLD ?? defaults.lowBalanceThresholdPicos,
  };
}

/** False for a variable that was refused: it has no amount to compare. */
const exceeds = (amount: unknown, limit: unknown) =>
  typeof amount === 'bigint' && typeof limit === 'bigint' && amount > limit;

/** Reports bounds in the wrong order and presets outside them. */
export function checkTopUp(
  { SITE, MIN_TOPUP, MAX_TOPUP, TOPUP_PRESETS }: Fields,
  context: z.RefinementCtx,
): void {
  const fault = (name: keyof typeof topUpFields, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const defaults: TopUpConfig | undefined = DEFAULTS[SITE];
  const min = MIN_TOPUP ?? defaults?.minPicos;
  const max = MAX_TOPUP ?? defaults?.maxPicos;
  const presets = Array.isArray(TOPUP_PRESETS) ? TOPUP_PRESETS : [];
  if (exceeds(min, max)) fault('MAX_TOPUP', 'is less than MIN_TOPUP');
  if (presets.some((amount) => exceeds(min, amount) || exceeds(amount, max)))
    fault('TOPUP_PRESETS', 'must lie between MIN_TOPUP and MAX_TOPUP');
}

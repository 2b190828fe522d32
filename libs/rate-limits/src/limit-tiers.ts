import { env } from '@inference/config';
import { z } from 'zod';

/** What an account or a key may do with a model. Null: no limit. */
export interface ModelLimits {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  tokensPerDay: number | null;
  maxConcurrency: number | null;
}

/** The limits of the accounts that have paid so much and exist for so long. */
export interface LimitTier {
  name: string;
  /** In units of the site's currency. */
  paid: number;
  ageDays: number;
  /** Of its accounts, where a full upstream is shared between accounts. */
  weight: number;
  /** By model slug; `*` is for each model that is not named. */
  models: Record<string, ModelLimits>;
}

/** Largest limit: above what a site serves in a day. */
const MAX_LIMIT = 1_000_000_000;
const MAX_DAY_LIMIT = 1_000_000_000_000;

const limit = (max = MAX_LIMIT) => z.int().min(1).max(max).optional();

const limitsOfModel = z.strictObject({
  rpm: limit(),
  tpm: limit(),
  tpd: limit(MAX_DAY_LIMIT),
  max_concurrency: limit(),
});

const tier = z.strictObject({
  name: z.string().min(1).max(60),
  paid: z.number().min(0).default(0),
  age_days: z.number().min(0).default(0),
  weight: z.number().min(0.01).max(1_000).default(1),
  models: z.record(z.string().min(1).max(200), limitsOfModel),
});

const tiers = z
  .array(tier)
  .min(1)
  .max(20)
  .superRefine((all, context) => {
    for (const [index, one] of all.entries())
      for (const later of all.slice(index + 1)) {
        if (later.name === one.name)
          context.addIssue({ code: 'custom', message: `Two tiers have the name ${one.name}.` });
        else if (later.paid <= one.paid && later.age_days <= one.age_days)
          context.addIssue({
            code: 'custom',
            message: `No account ever has the tier ${one.name}: ${later.name} after it asks for no more.`,
          });
      }
  });

export const limitTierFields = {
  /**
   * JSON list of tiers of limits, the lowest first. An account has the last one for which it has paid enough and is old enough. None by
   * default: no limits.
   */
  MODEL_RATE_LIMIT_TIERS: env.json(tiers).optional(),
};

export const limitTiersOf = (config: {
  MODEL_RATE_LIMIT_TIERS?: z.output<typeof limitTierFields.MODEL_RATE_LIMIT_TIERS>;
}): LimitTier[] =>
  (config.MODEL_RATE_LIMIT_TIERS ?? []).map(({ name, paid, age_days: ageDays, weight, models }) => ({
    name,
    paid,
    ageDays,
    weight,
    models: Object.fromEntries(
      Object.entries(models).map(([model, limits]) => [
        model,
        {
          requestsPerMinute: limits.rpm ?? null,
          tokensPerMinute: limits.tpm ?? null,
          tokensPerDay: limits.tpd ?? null,
          maxConcurrency: limits.max_concurrency ?? null,
        },
      ]),
    ),
  }));

/** What an account has paid in units of the currency, and for how long it exists. */
export interface Standing {
  paid: number;
  ageDays: number;
}

/** The index of an account's tier: the last one whose conditions it meets, and the first one otherwise. */
export function tierIndexOf(tiers: readonly LimitTier[], { paid, ageDays }: Standing): number {
  return Math.max(
    0,
    tiers.findLastIndex((one) => paid >= one.paid && ageDays >= one.ageDays),
  );
}

/** The limits of a model among limits by slug. Undefined: none. */
export const limitsOfModelIn = <T>(byModel: Record<string, T>, model: string): T | undefined =>
  Object.hasOwn(byModel, model) ? byModel[model] : byModel['*'];

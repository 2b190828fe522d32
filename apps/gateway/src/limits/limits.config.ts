import { type LimitTier, limitTiersOf } from '@inference/rate-limits';

export interface LimitsConfig {
  /** The lowest first; none: no limits but those of keys and of staff. */
  tiers: LimitTier[];
  /** How long what was admitted counts: the minute of the limits. Tests shorten it. */
  windowSeconds: number;
  /** Specified: how long a process may use a slice. It counts for a window after its end, so one process reaches window / (window + slice). */
  sliceSeconds: number;
  /**
   * How long the slots of a process stay taken after its last sign of life. Specified: given back within 30 s. Chosen: three renewals may
   * fail before running calls lose their slots.
   */
  slotsTtlSeconds: number;
}

export const LIMITS_CONFIG = Symbol('LIMITS_CONFIG');

export const limitsOf = (config: Parameters<typeof limitTiersOf>[0]): LimitsConfig => ({
  tiers: limitTiersOf(config),
  windowSeconds: 60,
  sliceSeconds: 5,
  slotsTtlSeconds: 20,
});

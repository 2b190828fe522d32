/** Names the tiers of limits (LimitTier[]), the lowest first. */
export const LIMIT_TIERS = Symbol('LIMIT_TIERS');

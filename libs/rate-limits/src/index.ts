export {
  RATE_LIMIT_CONFIG,
  type RateLimitConfig,
  rateLimitFields,
  rateLimitOf,
  throttlerStorage,
  RefusalLimitModule,
} from './refusal-limit';
export {
  type LimitTier,
  limitsOfModelIn,
  limitTierFields,
  limitTiersOf,
  type ModelLimits,
  type Standing,
  tierIndexOf,
} from './limit-tiers';
export { LIMIT_ENTITIES, LimitDayUse, LimitOverride } from './limits.entity';

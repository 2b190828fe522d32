export {
  RATE_LIMIT_CONFIG,
  type RateLimitConfig,
  rateLimitFields,
  rateLimitOf,
  throttlerStorage,
} from './rate-limit.config';
export { RefusalLimitModule } from './refusal-limit';

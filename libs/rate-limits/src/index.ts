export { RATE_LIMIT_CONFIG, type RateLimitConfig, rateLimitFields, rateLimitOf } from './rate-limit.config';
export { RefusalLimitModule } from './refusal-limit.module';
export { throttlerStorage } from './throttler-storage';

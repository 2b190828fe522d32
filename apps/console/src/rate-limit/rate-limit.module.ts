import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { RATE_LIMIT_CONFIG } from '@inference/rate-limits';
import { SITE_CONFIG } from '../site.config';
import { RateLimitGuard } from './rate-limit.guard';
import { throttlerOptions } from './rate-limits';

/**
 * Limits the requests of every address. Import it before the guard of the credentials: a refused request costs less.
 */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [RATE_LIMIT_CONFIG, SITE_CONFIG],
      useFactory: throttlerOptions,
    }),
  ],
  providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }],
})
export class RateLimitModule {}

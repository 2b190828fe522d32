import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { type Site } from '@inference/config';
import { RefusedCalls } from '@inference/http';
import { type RateLimitFields, rateLimitOf } from './rate-limit.config';
import { RefusalLimit } from './refusal-limit';
import { throttlerStorage } from './throttler-storage';

const STORAGE = Symbol('refusal counters');

/** Limits the calls of each address that a service refuses (see RefusalLimit). The service needs ServiceModule. */
@Module({})
export class RefusalLimitModule implements OnModuleInit {
  constructor(
    @Inject(RefusalLimit) private readonly limit: RefusalLimit,
    @Inject(RefusedCalls) private readonly refusedCalls: RefusedCalls,
  ) {}

  /** @param service name of the service in the keys of its counters */
  static forRoot(service: string, config: RateLimitFields & { SITE: Site }): DynamicModule {
    const { redisUrl, multiplier } = rateLimitOf(config);
    const storage = throttlerStorage(redisUrl, `${service}:${config.SITE}`);
    return {
      module: RefusalLimitModule,
      providers: [
        // As a provider of its own, so that Nest connects and disconnects it.
        { provide: STORAGE, useValue: storage },
        { provide: RefusalLimit, useValue: new RefusalLimit(storage, multiplier) },
      ],
    };
  }

  onModuleInit(): void {
    this.refusedCalls.limitBy(this.limit);
  }
}

import { type NotificationChannel } from '@inference/database';
import { TEST_API_KEY_HASH_SECRET, type TestPool } from '@inference/testing';
import { type ExecutionContext, UnauthorizedException } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { type Caller } from '../caller';
import { CredentialsGuard } from '../credentials.guard';
import { RouteAccessReader } from '../route-access';
import { SessionKeyProvider } from './session-token.strategy';
import { SessionStrategy, SessionVerifier } from './session.strategy';

/** The guard of a service that accepts session tokens as Bearer. */
export class TestVerifier {
  private readonly guard: CredentialsGuard;

  constructor(consoleUrl: string, pool: TestPool, channel: NotificationChannel) {
    const options = {
      SITE: 'intl' as const,
      API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
      CONSOLE_URL: consoleUrl,
      STAFF_2FA: 'optional' as const,
      strategies: [],
      defaultKinds: ['session' as const],
      sessionCacheSeconds: 3_600,
    };
    const sessions = new SessionVerifier(pool, options, channel);
    const strategy = new SessionStrategy(sessions, new SessionKeyProvider(options), options);
    this.guard = new CredentialsGuard(new RouteAccessReader(new Reflector()), [strategy], options);
  }

  /** Returns null if the guard answers 401. */
  async verify(token: string): Promise<Caller | null> {
    const headers = { authorization: `Bearer ${token}` };
    const request = { headers, get: () => undefined } as unknown as Request;
    const http = { getRequest: () => request, getResponse: () => ({ setHeader: () => undefined }) };
    const targets = { getHandler: () => () => undefined, getClass: () => TestVerifier };
    try {
      await this.guard.canActivate({ ...targets, switchToHttp: () => http } as unknown as ExecutionContext);
      return request.caller ?? null;
    } catch (error) {
      if (error instanceof UnauthorizedException) return null;
      throw error;
    }
  }
}

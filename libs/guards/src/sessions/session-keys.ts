import { Logger } from '@nestjs/common';
import { tracedFetch } from '@inference/tracing';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';

const JWKS_PATH = '/.well-known/jwks.json';
/** Reload interval; a retired key stays valid for this long at most. */
const RELOAD_MILLIS = 60_000;
/** Shortest interval between two reloads for unknown keys. */
const COOLDOWN_MILLIS = 1_000;

/**
 * The console's public keys. They are reloaded every minute, and at once when a token names an unknown key. While the console
 * is unavailable, the last keys stay in force.
 */
export class SessionKeys {
  private readonly logger = new Logger(SessionKeys.name);
  private readonly remote: ReturnType<typeof createRemoteJWKSet>;
  private timer: NodeJS.Timeout | undefined;
  private isLoaded = false;
  private isAway = false;
  private underWay: Promise<void> | undefined;
  /** On the clock of performance.now(). */
  private askedAtMillis = -Infinity;

  /** @param onReload runs after each reload: keys may have been added or retired */
  constructor(
    consoleUrl: string,
    private readonly onReload: () => void = () => undefined,
  ) {
    this.remote = createRemoteJWKSet(new URL(consoleUrl + JWKS_PATH), {
      cacheMaxAge: Infinity,
      cooldownDuration: Infinity,
      [customFetch]: tracedFetch,
    });
  }

  /** Finds the key of a token. Fails with the reload error if no keys are loaded or the key is not among them. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (!this.isLoaded) await this.reload();
    try {
      return await this.remote(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.reloadTogether();
      return this.remote(header, token);
    }
  };

  /** Loads the keys before the first token comes, and keeps them fresh until `stop`. */
  start(): void {
    const reload = () => void this.reload().catch(() => undefined);
    reload();
    this.timer = setInterval(reload, RELOAD_MILLIS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Shares one reload among concurrent callers, at most once per cooldown. */
  private reloadTogether(): Promise<void> {
    return (this.underWay ??= this.reloadCooledDown().finally(() => (this.underWay = undefined)));
  }

  private async reloadCooledDown(): Promise<void> {
    const waitMillis = this.askedAtMillis + COOLDOWN_MILLIS - performance.now();
    if (waitMillis > 0) await new Promise((resolve) => setTimeout(resolve, waitMillis));
    this.askedAtMillis = performance.now();
    await this.reload();
  }

  private async reload(): Promise<void> {
    try {
      await this.remote.reload();
    } catch (error) {
      if (!this.isAway)
        this.logger.warn('The session keys cannot be fetched; the last ones stay valid.', error);
      this.isAway = true;
      throw error;
    }
    this.isLoaded = true;
    this.onReload();
    if (this.isAway) this.logger.log('The session keys can be fetched again.');
    this.isAway = false;
  }
}

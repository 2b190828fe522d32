import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { isDatabaseUnavailable, SQL_POOL, type SqlPool } from '@inference/database';
import { SITE_CONFIG, type SiteConfig } from '../../../site.config';
import { JobPoller } from '../../../jobs/job-poller';
import { CODE_HOST_CONFIG, type CodeHostConfig } from '../code-host/code-host.config';
import { CodeHost, type LatestReleaseResult } from '../code-host/code-host';
import { CodeHostError } from '../code-host/code-host-request';
import {
  type ClaimedRepository,
  claimRepositories,
  replaceFollowedRepositories,
  releaseClaim,
  recordFailure,
  recordUnchanged,
  recordRelease,
} from './followed-repositories';
import { retryDelaySeconds, pollDelaySeconds } from './poll-delay';

const POLL_MILLIS = 1_000;
/** Limit of all requests that one read of a repository makes. */
const READ_LIMIT_MILLIS = 120_000;
/** Longer than a read, so that two replicas read the same repository only if one of them has crashed. */
const LEASE_SECONDS = 180;
/** After this time a repository is read completely again, even if the code host would answer 304. */
const ETAG_SECONDS = 3_600;

/**
 * Publishes the newest release of each followed repository. The replicas share the repositories. While the code host is
 * unreachable, the last published release stays.
 */
@Injectable()
export class ReleaseFollower implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(ReleaseFollower.name);
  private readonly codeHost: CodeHost;
  private readonly poller: JobPoller<ClaimedRepository>;
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private stopped: Promise<void> | undefined;
  /** True once the configured repositories are stored. */
  private isConfigurationStored = false;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CODE_HOST_CONFIG) private readonly config: CodeHostConfig,
    @Inject(SITE_CONFIG) { site }: SiteConfig,
  ) {
    this.codeHost = new CodeHost(config, site);
    this.poller = new JobPoller(
      (count) => this.claim(count),
      (repository) => this.follow(repository),
      (error) => this.report(error),
    );
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), POLL_MILLIS);
    this.wake();
  }

  /** Reads the repositories that are due. */
  wake(): void {
    this.poller.wake();
  }

  /**
   * Aborts the reads in progress and releases their claims, so that other replicas can continue at once. Returns without waiting,
   * because Nest calls this hook module by module and all modules should stop at the same time.
   */
  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.stopping.abort();
    this.stopped = this.poller.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  private async claim(count: number): Promise<ClaimedRepository[]> {
    const { repositories } = this.config;
    if (!this.isConfigurationStored) await replaceFollowedRepositories(this.pool, repositories);
    this.isConfigurationStored = true;
    if (Object.keys(repositories).length > 0)
      return claimRepositories(this.pool, repositories, count, {
        leaseSeconds: LEASE_SECONDS,
        etagSeconds: ETAG_SECONDS,
      });
    clearInterval(this.timer);
    return [];
  }

  private async follow(claimed: ClaimedRepository): Promise<void> {
    let result: LatestReleaseResult;
    try {
      result = await this.read(claimed);
    } catch (error) {
      if (this.stopping.signal.aborted) await releaseClaim(this.pool, claimed);
      else await this.fail(claimed, error);
      return;
    }
    const { release, etag, notBefore } = result;
    const delaySeconds = pollDelaySeconds(this.config.pollSeconds, notBefore);
    if (release === undefined) await recordUnchanged(this.pool, claimed, delaySeconds);
    else await recordRelease(this.pool, claimed, { release, etag }, delaySeconds);
    const { component, repository, failures } = claimed;
    if (failures > 0) this.logger.log(`The releases of ${component} at ${repository} can be followed again`);
  }

  private async read({ repository, etag }: ClaimedRepository): Promise<LatestReleaseResult> {
    const limit = AbortSignal.timeout(READ_LIMIT_MILLIS);
    try {
      return await this.codeHost.readLatest(repository, etag, AbortSignal.any([this.stopping.signal, limit]));
    } catch (error) {
      if (limit.aborted) throw new CodeHostError('the code host takes too long to answer');
      throw error;
    }
  }

  private async fail(claimed: ClaimedRepository, error: unknown): Promise<void> {
    const isCodeHostError = error instanceof CodeHostError;
    if (!isCodeHostError) this.logger.error(error);
    const reason = isCodeHostError ? error.message : 'an unexpected fault';
    const delaySeconds = retryDelaySeconds(claimed.failures + 1, this.config.pollSeconds);
    await recordFailure(
      this.pool,
      claimed,
      reason,
      pollDelaySeconds(delaySeconds, isCodeHostError ? error.notBefore : null),
    );
    const { component, repository, lastError } = claimed;
    // Logged once, not at every attempt.
    if (reason !== lastError)
      this.logger.warn(`The releases of ${component} at ${repository} cannot be followed: ${reason}`);
  }

  /** The health probe reports an unreachable database. */
  private report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }
}

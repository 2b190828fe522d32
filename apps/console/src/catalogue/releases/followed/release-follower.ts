import { createHash } from 'node:crypto';
import { Database } from '@inference/database';
import { BackgroundJobs } from '@inference/jobs';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../../site.config';
import { CODE_HOST_CONFIG, type CodeHostConfig } from '../../catalogue.config';
import { type Component } from '../../component';
import { CodeHost, type LatestReleaseResult } from '../code-host/code-host';
import { CodeHostError } from '../code-host/code-host-request';
import {
  type ClaimedRepository,
  claimRepository,
  recordFailure,
  recordUnchanged,
  releaseClaim,
} from './followed-repositories.repository';
import { FollowedRepositoriesService } from './followed-repositories.service';

const LONGEST_RETRY_SECONDS = 3_600;
/** A code host that asks for more has a wrong clock. */
const LONGEST_DELAY_SECONDS = 86_400;

/**
 * Seconds until the next request after consecutive failures: exponential backoff up to an hour, shortened by up to half at
 * random, so that not all deployments come back at the same moment.
 */
export function retryDelaySeconds(failures: number, pollSeconds: number, chance = Math.random()): number {
  const longest = Math.min(pollSeconds * 2 ** (failures - 1), LONGEST_RETRY_SECONDS);
  return longest * (0.5 + chance / 2);
}

/** The planned delay, or longer if the code host accepts no request before `notBefore`; at most a day. */
export function pollDelaySeconds(plannedSeconds: number, notBefore: Date | null): number {
  const requestedSeconds = notBefore === null ? 0 : (notBefore.getTime() - Date.now()) / 1_000;
  return Math.min(Math.max(plannedSeconds, requestedSeconds), LONGEST_DELAY_SECONDS);
}

/** Limit of all requests that one read of a repository makes. */
const READ_LIMIT_MILLIS = 120_000;
/** Longer than a read, so that two replicas read the same repository only if one of them has crashed. */
const CLAIM_SECONDS = 180;
/** After this time a repository is read completely again, even if the code host would answer 304. */
const ETAG_SECONDS = 3_600;

/**
 * Publishes the newest release of each followed repository. The replicas share the repositories. While the code host is
 * unreachable, the last published release stays.
 */
@Injectable()
export class ReleaseFollower {
  private readonly logger = new Logger(ReleaseFollower.name);
  private readonly codeHost: CodeHost;

  constructor(
    private readonly database: Database,
    @Inject(CODE_HOST_CONFIG) private readonly config: CodeHostConfig,
    @Inject(SITE_CONFIG) { site }: SiteConfig,
    private readonly followed: FollowedRepositoriesService,
    jobs: BackgroundJobs,
  ) {
    this.codeHost = new CodeHost(config, site);
    const { repositories } = config;
    jobs.onceAvailable(() => followed.replaceAll(repositories));
    const entries = Object.entries(repositories) as [Component, string][];
    if (entries.length === 0) return;
    const tasks = entries.map(([component, repository]) => [
      followTask(component, repository),
      (_id: string, stop: AbortSignal) => this.follow(component, repository, stop),
    ]);
    jobs.processRows(Object.fromEntries(tasks), entries.length);
  }

  /** A read that is interrupted because the service stops releases its claim, so that another replica can continue at once. */
  private async follow(component: Component, repository: string, stop: AbortSignal): Promise<void> {
    const claimed = await claimRepository(this.database, component, repository, {
      claimSeconds: CLAIM_SECONDS,
      etagSeconds: ETAG_SECONDS,
    });
    if (!claimed) return;
    let result: LatestReleaseResult;
    try {
      result = await this.read(claimed, stop);
    } catch (error) {
      if (stop.aborted) await releaseClaim(this.database, claimed);
      else await this.fail(claimed, error);
      return;
    }
    const { release, etag, notBefore } = result;
    const delaySeconds = pollDelaySeconds(this.config.pollSeconds, notBefore);
    if (release === undefined) await recordUnchanged(this.database, claimed, delaySeconds);
    else await this.followed.recordRelease(claimed, { release, etag }, delaySeconds);
    if (claimed.failures > 0)
      this.logger.log(`The releases of ${component} at ${repository} can be followed again`);
  }

  private async read(
    { repository, etag }: ClaimedRepository,
    stop: AbortSignal,
  ): Promise<LatestReleaseResult> {
    const limit = AbortSignal.timeout(READ_LIMIT_MILLIS);
    try {
      return await this.codeHost.readLatest(repository, etag, AbortSignal.any([stop, limit]));
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
      this.database,
      claimed,
      reason,
      pollDelaySeconds(delaySeconds, isCodeHostError ? error.notBefore : null),
    );
    const { component, repository, lastError } = claimed;
    // Logged once, not at every attempt.
    if (reason !== lastError)
      this.logger.warn(`The releases of ${component} at ${repository} cannot be followed: ${reason}`);
  }
}

/** The name of the task that reads a repository (migration 0017). Its digest keeps the name within the queue's limit. */
function followTask(component: Component, repository: string): string {
  return `follow-${component}-at-${createHash('md5').update(repository).digest('hex')}`;
}

import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { isDatabaseUnavailable, SQL_POOL, type SqlPool } from '@inference/database';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type CodeHostConfig } from '../config.catalogue';
import { DuePump } from '../jobs/due-pump';
import { CodeHost, type HostReading } from './code-host';
import { CodeHostFailure } from './code-host-request';
import {
  type ClaimedRepository,
  claimRepositories,
  followOnly,
  giveUpClaim,
  noteFailure,
  noteUnchanged,
  takeOver,
} from './followed-repositories';
import { retrySeconds, waitSeconds } from './poll-times';

const POLL_MILLIS = 1_000;
/** For all the requests of one look at a repository. */
const LOOK_MILLIS = 120_000;
/** Longer than a look takes, so that two consoles look at one repository only if one of them has died. */
const LEASE_SECONDS = 180;
/** After that everything is read again, whatever the host says of what it has sent already. */
const ETAG_SECONDS = 3_600;

/**
 * Publishes the newest release of each followed repository, with the followers of the other consoles. While the code host
 * cannot be asked, what was published last stays.
 */
@Injectable()
export class ReleaseFollower implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ReleaseFollower.name);
  private readonly codeHost: CodeHostConfig;
  private readonly host: CodeHost;
  private readonly pump: DuePump<ClaimedRepository>;
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  /** Whether the database knows what is followed. */
  private isKnown = false;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) config: ConsoleConfig,
  ) {
    this.codeHost = config.catalogue.codeHost;
    this.host = new CodeHost(this.codeHost, config.SITE);
    this.pump = new DuePump(
      (count) => this.claim(count),
      (repository) => this.follow(repository),
      (error) => this.report(error),
    );
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), POLL_MILLIS);
    this.wake();
  }

  /** Looks whether anything is due. */
  wake(): void {
    this.pump.wake();
  }

  /** What is under way is given up, and another console may go on with it at once. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.pump.stop();
  }

  private async claim(count: number): Promise<ClaimedRepository[]> {
    const { repositories } = this.codeHost;
    if (!this.isKnown) await followOnly(this.pool, repositories);
    this.isKnown = true;
    if (Object.keys(repositories).length > 0)
      return claimRepositories(this.pool, repositories, count, {
        leaseSeconds: LEASE_SECONDS,
        etagSeconds: ETAG_SECONDS,
      });
    clearInterval(this.timer);
    return [];
  }

  private async follow(claimed: ClaimedRepository): Promise<void> {
    let reading: HostReading;
    try {
      reading = await this.read(claimed);
    } catch (error) {
      if (this.stopping.signal.aborted) await giveUpClaim(this.pool, claimed);
      else await this.fail(claimed, error);
      return;
    }
    const { release, etag, notBefore } = reading;
    const pause = waitSeconds(this.codeHost.pollSeconds, notBefore);
    if (release === undefined) await noteUnchanged(this.pool, claimed, pause);
    else await takeOver(this.pool, claimed, { release, etag }, pause);
    const { component, repository, failures } = claimed;
    if (failures > 0) this.logger.log(`The releases of ${component} at ${repository} can be followed again`);
  }

  private async read({ repository, etag }: ClaimedRepository): Promise<HostReading> {
    const limit = AbortSignal.timeout(LOOK_MILLIS);
    try {
      return await this.host.readLatest(repository, etag, AbortSignal.any([this.stopping.signal, limit]));
    } catch (error) {
      if (limit.aborted) throw new CodeHostFailure('the code host takes too long to answer');
      throw error;
    }
  }

  private async fail(claimed: ClaimedRepository, error: unknown): Promise<void> {
    const isHosts = error instanceof CodeHostFailure;
    if (!isHosts) this.logger.error(error);
    const reason = isHosts ? error.message : 'an unexpected fault';
    const pause = retrySeconds(claimed.failures + 1, this.codeHost.pollSeconds);
    await noteFailure(this.pool, claimed, reason, waitSeconds(pause, isHosts ? error.notBefore : null));
    const { component, repository, lastError } = claimed;
    // Once, not at every attempt.
    if (reason !== lastError)
      this.logger.warn(`The releases of ${component} at ${repository} cannot be followed: ${reason}`);
  }

  /** A database that is away is told of by the health probe. */
  private report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }
}

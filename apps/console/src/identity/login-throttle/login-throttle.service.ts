import { createHash } from 'node:crypto';
import { Database, type Executor } from '@inference/database';
import { TooManyRequestsException } from '@inference/http';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { RATE_LIMIT_CONFIG, type RateLimitConfig } from '@inference/rate-limits';
import { Inject, Injectable } from '@nestjs/common';
import {
  type AttemptKind,
  type AttemptLimits,
  countLoginAttempt,
  deleteExpiredLoginAttempts,
  deleteUnknownNetworksCount,
  recordLoginSuccess,
} from './login-attempts.repository';

export interface NewLoginAttempt {
  kind: AttemptKind;
  /** Null when no account has the identifier. */
  accountId: string | null;
  /** Normalized. The attempt is counted under it when there is no account. */
  identifier?: string;
  address: string | null;
}

export interface AdmittedAttempt {
  /**
   * Subtracts this attempt from the count of the address, and deletes the account's count that this attempt was added to:
   * that of its network, or the shared one of unknown networks.
   */
  recordSuccess(): Promise<void>;
}

interface Allowance {
  /** Failures before delays begin. */
  free: number;
  /** One failure is forgiven after this time. */
  forgiveSeconds: number;
}

const ACCOUNT: Allowance = { free: 10, forgiveSeconds: 900 };
const ADDRESS: Allowance = { free: 30, forgiveSeconds: 60 };

/**
 * Stands for an account that does not exist; no account has such an id. Only a hash of the identifier is stored,
 * because people type passwords into the wrong field.
 */
const unknownAccount = (identifier = '') => `?${createHash('sha256').update(identifier).digest('hex')}`;

/**
 * Delays attempts at a password or a second factor after too many failures. An attempt is counted in the database
 * before it is checked, so the count is exact for any number of concurrent attempts, is shared by all replicas, and is
 * the same whether or not the account exists.
 */
@Injectable()
export class LoginThrottle {
  private readonly limits: AttemptLimits;

  constructor(
    private readonly database: Database,
    @Inject(RATE_LIMIT_CONFIG) { multiplier }: RateLimitConfig,
  ) {
    const allowances = [ACCOUNT, ADDRESS];
    this.limits = {
      free: allowances.map(({ free }) => Math.max(1, Math.round(free * multiplier))),
      forgiveSeconds: allowances.map(({ forgiveSeconds }) => forgiveSeconds / multiplier),
    };
  }

  /**
   * Counts an attempt that is about to be checked. Must run outside any transaction, so that a rollback does not undo
   * the count. Throws 429 if the attempt has to wait.
   */
  async admit({ kind, accountId, identifier, address }: NewLoginAttempt): Promise<AdmittedAttempt> {
    const attempt = { kind, accountId: accountId ?? unknownAccount(identifier), address };
    const counted = await countLoginAttempt(this.database, attempt, this.limits);
    if (counted.waitSeconds > 0) {
      throw new TooManyRequestsException('too many attempts, try again later', counted.waitSeconds, {
        'RateLimit-Limit': String(counted.exceeded),
        'RateLimit-Remaining': '0',
        'RateLimit-Reset': String(counted.waitSeconds),
      });
    }
    return { recordSuccess: () => recordLoginSuccess(this.database, counted) };
  }

  /**
   * Deletes the count of failed passwords from unknown networks, so that an owner who has just reset the password need
   * not wait for them.
   */
  async resetUnknownNetworks(executor: Executor, accountId: string): Promise<void> {
    await deleteUnknownNetworksCount(executor, accountId);
  }
}

/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;

/** Deletes login attempts that no longer count against anybody. */
@Injectable()
export class LoginAttemptCleanupJob {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('delete-old-login-attempts', EVERY_MINUTE, () => this.run());
  }

  private async run(): Promise<void> {
    while ((await deleteExpiredLoginAttempts(this.database, BATCH_ROWS)) === BigInt(BATCH_ROWS));
  }
}

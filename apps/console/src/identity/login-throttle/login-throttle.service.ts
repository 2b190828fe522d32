import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Database, type Sql } from '@inference/database';
import { TooManyRequestsException } from '@inference/http';
import { RATE_LIMIT_CONFIG, type RateLimitConfig } from '../../rate-limit/rate-limit.config';

export interface LoginAttempt {
  kind: 'password' | 'second_factor';
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

const UNKNOWN_NETWORKS = 'unknown_networks';

/**
 * Counts a login attempt for its account and for its network: an IPv4 address or an IPv6 /64 prefix. A network is known to an
 * account after a login or password reset from it within 30 days. Each known network has a counter of its own, and all other
 * networks share one (UNKNOWN_NETWORKS), so attackers cannot lock the owner out.
 */
const COUNT_ATTEMPT = `
  WITH attempt AS MATERIALIZED (SELECT $1 || ' ' || $2 AS secret, accounts.address_network($3) AS network),
  subjects AS MATERIALIZED (
    SELECT 'address ' || network AS address, secret || ' ' || CASE WHEN EXISTS (
      SELECT FROM accounts.security_events
      WHERE account_id = $2 AND accounts.address_network(address) = network AND type IN ('session.opened', 'password.reset')
        AND created_at > now() - interval '30 days') THEN network ELSE '${UNKNOWN_NETWORKS}' END AS account
    FROM attempt)
  SELECT s.account, s.address, c.wait_seconds, c.exceeded, c.counted_at::text
  FROM subjects s, accounts.count_login_attempt(ARRAY[s.account, s.address], $4, $5) c`;
const RECORD_SUCCESS = 'SELECT accounts.record_login_success($1, $2, $3)';
const DELETE_COUNT = 'DELETE FROM accounts.login_attempts WHERE subject = $1';

interface CountedAttempt {
  /** Under what the attempt was counted for the account. */
  account: string;
  /** Under what it was counted for the address; null when the address is unknown. */
  address: string | null;
  /** 0 for an admitted attempt. */
  wait_seconds: number;
  exceeded: number | null;
  /** As text, because a Date would lose its microseconds. */
  counted_at: string;
}

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
  private readonly free: number[];
  private readonly forgiveSeconds: number[];

  constructor(
    private readonly database: Database,
    @Inject(RATE_LIMIT_CONFIG) { multiplier }: RateLimitConfig,
  ) {
    const allowances = [ACCOUNT, ADDRESS];
    this.free = allowances.map(({ free }) => Math.max(1, Math.round(free * multiplier)));
    this.forgiveSeconds = allowances.map(({ forgiveSeconds }) => forgiveSeconds / multiplier);
  }

  /**
   * Counts an attempt that is about to be checked. Must run outside any transaction, so that a rollback does not undo
   * the count. Throws 429 if the attempt has to wait.
   */
  async admit({ kind, accountId, identifier, address }: LoginAttempt): Promise<AdmittedAttempt> {
    const { rows } = await this.database.query<CountedAttempt>(COUNT_ATTEMPT, [
      kind,
      accountId ?? unknownAccount(identifier),
      address,
      this.free,
      this.forgiveSeconds,
    ]);
    const counted = rows[0]!;
    if (counted.wait_seconds > 0) {
      throw new TooManyRequestsException('too many attempts, try again later', counted.wait_seconds, {
        'RateLimit-Limit': String(counted.exceeded),
        'RateLimit-Remaining': '0',
        'RateLimit-Reset': String(counted.wait_seconds),
      });
    }
    return {
      recordSuccess: async () => {
        await this.database.query(RECORD_SUCCESS, [counted.account, counted.address, counted.counted_at]);
      },
    };
  }

  /**
   * Deletes the count of failed passwords from unknown networks, so that an owner who has just reset the password need
   * not wait for them. Part of the caller's transaction.
   */
  async resetUnknownNetworks(sql: Sql, accountId: string): Promise<void> {
    await sql.query(DELETE_COUNT, [`password ${accountId} ${UNKNOWN_NETWORKS}`]);
  }
}

import { createHash } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { RetryLaterException } from '@inference/http';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

export interface GuessOrder {
  kind: 'password' | 'second_factor';
  /** Null when the identifier is nobody's. */
  accountId: string | null;
  /** Normalised; whom a guess is about that is about no account. */
  identifier?: string;
  address: string | null;
}

export interface AdmittedGuess {
  /** Takes back what was counted: forgets the account's failures there, and this guess of the address. */
  wasRight(): Promise<void>;
}

interface Allowance {
  /** Wrong guesses before delays begin. */
  free: number;
  /** A wrong guess is forgiven after so long. */
  forgiveSeconds: number;
}

const ACCOUNT: Allowance = { free: 10, forgiveSeconds: 900 };
const ADDRESS: Allowance = { free: 30, forgiveSeconds: 60 };
const SWEEP_MILLIS = 60_000;
const SWEEP_ROWS = 1_000;

/**
 * Who guesses at a place where the account was signed in to counts with that place, everybody else with the strangers:
 * however much they guess, they cannot lock anybody out at home. A place becomes known by a password reset, too.
 */
const COUNT = `
  WITH asked AS MATERIALIZED (SELECT $1 || ' ' || $2 AS secret, accounts.place_of($3) AS place),
  subjects AS MATERIALIZED (
    SELECT 'address ' || place AS address, secret || ' ' || CASE WHEN EXISTS (
      SELECT FROM accounts.security_events
      WHERE account_id = $2 AND accounts.place_of(address) = place AND type IN ('session.opened', 'password.reset')
        AND created_at > now() - interval '30 days') THEN place ELSE 'strangers' END AS pool
    FROM asked)
  SELECT s.pool, s.address, c.wait_seconds, c.exceeded, c.counted_at::text
  FROM subjects s, accounts.count_guess(ARRAY[s.pool, s.address], $4, $5) c`;
const TAKE_BACK = 'SELECT accounts.take_back_guess($1, $2, $3)';
const FORGET = 'DELETE FROM accounts.guesses WHERE subject = $1';
const SWEEP = 'SELECT accounts.forget_guesses($1) AS forgotten';

interface Counted {
  pool: string;
  address: string | null;
  /** 0 for an admitted guess. */
  wait_seconds: number;
  exceeded: number | null;
  /** With all its digits. */
  counted_at: string;
}

/** No account has such an id. What was typed may be a password in the wrong field, so only its hash is kept. */
const nobody = (identifier = '') => `?${createHash('sha256').update(identifier).digest('hex')}`;

/**
 * Where every guess at a password or a second factor asks first. It is counted before it is looked at, in the
 * database: exact for any number at once, shared by all replicas, the same whether or not the account exists.
 */
@Injectable()
export class GuessDesk implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(GuessDesk.name);
  private readonly free: number[];
  private readonly forgiveSeconds: number[];
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) { RATE_LIMIT_MULTIPLIER: multiplier }: ConsoleConfig,
  ) {
    const allowances = [ACCOUNT, ADDRESS];
    this.free = allowances.map(({ free }) => Math.max(1, Math.round(free * multiplier)));
    this.forgiveSeconds = allowances.map(({ forgiveSeconds }) => forgiveSeconds / multiplier);
  }

  onApplicationBootstrap(): void {
    this.sweeper = setInterval(() => void this.sweep(), SWEEP_MILLIS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeper);
  }

  /** Counts a guess that is about to be made, outside any transaction; 429 when it has to wait. */
  async admit({ kind, accountId, identifier, address }: GuessOrder): Promise<AdmittedGuess> {
    const { rows } = await this.pool.query<Counted>(COUNT, [
      kind,
      accountId ?? nobody(identifier),
      address,
      this.free,
      this.forgiveSeconds,
    ]);
    const counted = rows[0]!;
    if (counted.wait_seconds > 0) {
      throw new RetryLaterException('too many attempts, try again later', counted.wait_seconds, {
        'RateLimit-Limit': String(counted.exceeded),
        'RateLimit-Remaining': '0',
        'RateLimit-Reset': String(counted.wait_seconds),
      });
    }
    return {
      wasRight: async () => {
        await this.pool.query(TAKE_BACK, [counted.pool, counted.address, counted.counted_at]);
      },
    };
  }

  /** Whoever has just reset the password need not wait for what strangers guessed; part of that transaction. */
  async forget(sql: Sql, accountId: string): Promise<void> {
    await sql.query(FORGET, [`password ${accountId} strangers`]);
  }

  /** What time has forgiven need not be kept. */
  private async sweep(): Promise<void> {
    try {
      let forgotten: bigint;
      do {
        const { rows } = await this.pool.query<{ forgotten: bigint }>(SWEEP, [SWEEP_ROWS]);
        forgotten = rows[0]!.forgotten;
      } while (forgotten === BigInt(SWEEP_ROWS));
    } catch (error) {
      this.logger.warn(`Old guesses were not deleted: ${(error as Error).message}`);
    }
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { type Database, type Transaction } from './database';
import { type Executor } from './executor';
import { isDatabaseUnavailable, isTooSlow } from './errors';

/** Chosen: a replica nearby is a few milliseconds behind; a longer wait would cost more than a report. */
const WAIT_MILLIS = 50;
const POLL_MILLIS = 5;
/** Chosen: a reader waits that long for a replica that accepts connections and says nothing. */
const SILENCE_MILLIS = 1_000;
/** How long the primary answers alone after the replica was behind, and after it was away. */
const BEHIND_PAUSE_MILLIS = 1_000;
const AWAY_PAUSE_MILLIS = 5_000;
/** SQLSTATE of a statement that the replica cancelled to go on with replaying: serialization_failure. */
const RECOVERY_CONFLICT = '40001';

const PRIMARY_POSITION = 'SELECT pg_current_wal_insert_lsn()::text AS lsn';
/** A server that is no replica (any more) has no position that can be compared with that of the primary. */
const HAS_REPLAYED = 'SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn AS "isFresh"';

/** The replica lacks something that the primary had written. */
class ReplicaBehind extends Error {}

/** What a read at the replica has come to. */
interface Attempt {
  /** The replica has replayed enough, and the work has begun there. */
  hasBegun: boolean;
  /** The primary answers instead. */
  isGivenUp: boolean;
}

/**
 * Reads that may run on a streaming replica. A read sees at least what the primary had written when it began: the primary tells its
 * position in the write-ahead log, and the replica answers only if it has replayed that position. Otherwise, and without a replica,
 * the primary answers.
 */
@Injectable()
export class ReadDatabase {
  private readonly logger = new Logger(ReadDatabase.name);
  private pausedUntil = 0;
  private isAway = false;

  constructor(
    private readonly primary: Database,
    /** Null: all reads run on the primary. */
    readonly replica: Database | null,
  ) {}

  /** Runs the work, which must only read. It runs a second time, on the primary, if the replica fails. */
  read<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    return this.readAnywhere(work, () => work(this.primary));
  }

  /** As `read`; a statement that takes longer is cancelled, and the read rejects then (SQLSTATE 57014). */
  readWithin<T>(millis: number, work: (executor: Executor) => Promise<T>): Promise<T> {
    return this.readAnywhere(
      async (transaction) => {
        await transaction.limitStatements(millis);
        return work(transaction);
      },
      () => this.primary.readWithin(millis, work),
    );
  }

  private async readAnywhere<T>(
    work: (transaction: Transaction) => Promise<T>,
    atPrimary: () => Promise<T>,
  ): Promise<T> {
    if (!this.replica || Date.now() < this.pausedUntil) return atPrimary();
    const { rows } = await this.primary.query<{ lsn: string }>(PRIMARY_POSITION);
    const attempt: Attempt = { hasBegun: false, isGivenUp: false };
    try {
      const result = await this.readAtReplica(attempt, rows[0]!.lsn, work);
      if (this.isAway) this.logger.log('The replica of the database answers again');
      this.isAway = false;
      return result;
    } catch (error) {
      attempt.isGivenUp = true;
      if (error instanceof ReplicaBehind) this.pause(BEHIND_PAUSE_MILLIS);
      // Whatever happens before the work begins, a wrong password for example, is a fault of the replica.
      else if (!attempt.hasBegun || isReplicaAway(error)) this.noteAway(error as Error);
      else if (codeOf(error) !== RECOVERY_CONFLICT) throw error;
      return atPrimary();
    }
  }

  private async readAtReplica<T>(
    attempt: Attempt,
    lsn: string,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const result = this.replica!.transaction(async (transaction) => {
      await untilReplayed(transaction, lsn);
      if (attempt.isGivenUp) throw new ReplicaBehind();
      attempt.hasBegun = true;
      return work(transaction);
    });
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<void>((resolve) => (timer = setTimeout(resolve, SILENCE_MILLIS)));
    try {
      await Promise.race([result, silence]);
      if (attempt.hasBegun) return await result;
      // It ends by the time limits of its connection.
      result.catch(() => undefined);
      throw new Error(`no answer within ${SILENCE_MILLIS} ms`);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.replica?.close();
  }

  private pause(millis: number): void {
    this.pausedUntil = Date.now() + millis;
  }

  private noteAway({ message }: Error): void {
    if (!this.isAway)
      this.logger.warn(`The replica of the database does not answer, the primary does: ${message}`);
    this.isAway = true;
    this.pause(AWAY_PAUSE_MILLIS);
  }
}

/** In a transaction, because all its statements run over one connection: behind one address there may be several replicas. */
async function untilReplayed(transaction: Transaction, lsn: string): Promise<void> {
  for (const deadline = Date.now() + WAIT_MILLIS; ;) {
    const { rows } = await transaction.query<{ isFresh: boolean }>(HAS_REPLAYED, [lsn]);
    if (rows[0]!.isFresh) return;
    if (Date.now() >= deadline) throw new ReplicaBehind();
    await transaction.query('SELECT pg_sleep($1)', [POLL_MILLIS / 1_000]);
  }
}

const codeOf = (error: unknown) => (error as { code?: string } | null)?.code;
/** The primary would not be faster with a statement that is too slow. */
const isReplicaAway = (error: unknown) => isDatabaseUnavailable(error) && !isTooSlow(error);

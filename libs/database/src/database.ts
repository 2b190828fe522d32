import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import {
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type Repository,
  TypeORMError,
} from 'typeorm';
import { endConnection, type PoolDataSource } from './data-source';
import { type Executor } from './executor';

/** Chosen: whoever closes a database has finished, so nothing but a server that hangs keeps a connection. */
const CLOSE_LIMIT_MILLIS = 1_000;

/** How many connections a process has, and how many wait for one. */
export interface PoolConnections {
  busy: number;
  idle: number;
  waiting: number;
  limit: number;
}

/** The process's access to its database. */
@Injectable()
export class Database implements Executor {
  readonly query: Executor['query'];

  constructor(private readonly dataSource: PoolDataSource) {
    this.query = dataSource.pool.query.bind(dataSource.pool);
  }

  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.dataSource.getRepository(entity);
  }

  get connections(): PoolConnections {
    const { totalCount, idleCount, waitingCount, options } = this.dataSource.pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, limit: options.max };
  }

  /** Calls this, with seconds, whenever a wait for a connection has ended. A free connection is no wait. */
  onWait(listener: (seconds: number) => void): void {
    this.dataSource.pool.onWait = listener;
  }

  /** Rejects if the database does not answer. */
  async check(): Promise<void> {
    await this.query('SELECT 1');
  }

  /** Runs the work in one transaction. An error rolls it back and is rethrown. */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    const client = (await runner.connect()) as PoolClient;
    let broken: Error | undefined;
    const onError = (error: Error) => (broken = error);
    client.on('error', onError);
    try {
      await runner.startTransaction();
      const result = await work(new Transaction(runner.manager, client));
      await runner.commitTransaction();
      return result;
    } catch (error) {
      // TypeORM's own error says only that the connection is gone; the first one says why.
      const cause = broken && error instanceof TypeORMError ? broken : error;
      // A connection that is still in the transaction must not go back to the pool.
      await runner.rollbackTransaction().catch(() => endConnection(runner));
      throw cause;
    } finally {
      client.removeListener('error', onError);
      await runner.release();
    }
  }

  /** Runs the work in a transaction in which a statement that takes longer is cancelled, and rejects then (SQLSTATE 57014). */
  readWithin<T>(millis: number, work: (executor: Executor) => Promise<T>): Promise<T> {
    return this.transaction(async (transaction) => {
      await transaction.limitStatements(millis);
      return work(transaction);
    });
  }

  /** Ends the connections. A statement that gets no answer delays this only for a short time. */
  async close(): Promise<void> {
    const limit = sleep(CLOSE_LIMIT_MILLIS, undefined, { ref: false });
    await Promise.race([limit, this.dataSource.pool.end()]);
  }
}

/** A running transaction. */
export class Transaction implements Executor {
  readonly query: Executor['query'];

  constructor(
    private readonly manager: EntityManager,
    client: PoolClient,
  ) {
    this.query = client.query.bind(client);
  }

  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.manager.getRepository(entity);
  }

  /** Each further statement of the transaction that takes longer is cancelled. */
  async limitStatements(millis: number): Promise<void> {
    await this.query("SELECT set_config('statement_timeout', $1, true)", [String(millis)]);
  }
}

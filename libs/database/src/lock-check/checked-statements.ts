import {
  type ClusterStmt,
  type IndexStmt,
  type Node,
  type RefreshMatViewStmt,
  type ReindexStmt,
  type VacuumStmt,
} from 'libpg-query';
import { type QueryRunner } from 'typeorm';
import { findAlterTableLocks } from './alter-table-locks';
import { Catalogue } from './catalogue';
import { findLargeTables, type LargeTable, type TableLimits } from './large-tables';
import { type PossibleLock } from './possible-lock';
import { type Query } from './query';
import { changedTables, parseStatements, type Statement } from './statement-nodes';

const BATCHES = 'batches of a background job';

/**
 * Judges the statements of one migration before they run: whether one would lock a table, which was large before the migration,
 * for as long as it takes to read or write all its rows.
 */
class LockCheck {
  private readonly catalogue: Catalogue;

  private constructor(
    query: Query,
    private readonly limits: TableLimits,
    private readonly largeTables: Map<string, LargeTable>,
  ) {
    this.catalogue = new Catalogue(query);
  }

  static async begin(query: Query, limits: TableLimits): Promise<LockCheck> {
    return new LockCheck(query, limits, await findLargeTables(query, limits));
  }

  /** Returns what the statement would do to which table, and what to do instead; undefined if it may run. */
  async findLongLock(statement: Statement, parameters?: unknown[]): Promise<string | undefined> {
    if (this.largeTables.size === 0) return undefined;
    for (const { relation, action, instead, applies } of findPossibleLocks(statement.node)) {
      const oid = relation && (await this.catalogue.findTable(relation));
      const table = relation ? this.largeTables.get(oid ?? '') : [...this.largeTables.values()][0];
      if (table && (!applies || (await applies(this.catalogue, table.oid))))
        return describe(table, action, instead);
    }
    return this.findLongChange(statement, parameters);
  }

  private async findLongChange(
    { node, text }: Statement,
    parameters?: unknown[],
  ): Promise<string | undefined> {
    for (const relation of changedTables(node)) {
      const table = this.largeTables.get((await this.catalogue.findTable(relation)) ?? '');
      if (!table) continue;
      const rows = await this.catalogue.estimateChangedRows(text, parameters);
      if (rows >= this.limits.rows) return describe(table, `A change of about ${count(rows)} rows`, BATCHES);
    }
    return undefined;
  }
}

function describe({ name, rows }: LargeTable, action: string, instead: string): string {
  return `${action} may lock ${name}, which has about ${count(rows)} rows, for long. Instead: ${instead}.`;
}

const count = (rows: number): string => rows.toLocaleString('en-US');

interface CheckSettings {
  /** Of the migration. */
  name: string;
  acceptedLock?: string;
  largeTables: TableLimits;
  lockTimeoutMillis: number;
  log: (line: string) => void;
}

/**
 * Does the work of one migration. Until it is done, every statement of the query runner runs by itself, and only if it does not
 * lock a large table for long or if the migration accepts that.
 */
export async function checkLocks<T>(
  runner: QueryRunner,
  settings: CheckSettings,
  work: () => Promise<T>,
): Promise<T> {
  const { name, acceptedLock, log } = settings;
  const unchecked = runner.query;
  const send = unchecked.bind(runner) as Query;
  const check = await LockCheck.begin(send, settings.largeTables);
  const checked = async (text: string, parameters?: unknown[], isStructured?: boolean): Promise<unknown> => {
    let result: unknown;
    for (const statement of await parseStatements(text)) {
      const longLock = await check.findLongLock(statement, parameters);
      if (longLock && !acceptedLock) throw new Error(longLock);
      if (longLock) log(`${name}: ${longLock} Accepted: ${acceptedLock}`);
      const waits = isConcurrent(statement.node);
      if (waits) await send('SET lock_timeout = 0');
      result = await send(statement.text, parameters, isStructured);
      if (waits) await send(`SET lock_timeout = ${settings.lockTimeoutMillis}`);
    }
    return result;
  };
  runner.query = checked as QueryRunner['query'];
  try {
    return await work();
  } finally {
    runner.query = unchecked;
  }
}

/** Returns the long locks that a statement may take. UPDATE, DELETE and MERGE are judged by their plans instead. */
function findPossibleLocks(statement: Node): PossibleLock[] {
  if ('AlterTableStmt' in statement) return findAlterTableLocks(statement.AlterTableStmt);
  if ('IndexStmt' in statement) return createIndex(statement.IndexStmt);
  if ('ReindexStmt' in statement) return reindex(statement.ReindexStmt);
  if ('VacuumStmt' in statement) return vacuum(statement.VacuumStmt);
  if ('ClusterStmt' in statement) return cluster(statement.ClusterStmt);
  if ('RefreshMatViewStmt' in statement) return refresh(statement.RefreshMatViewStmt);
  if ('DoStmt' in statement || 'CallStmt' in statement)
    return [{ action: 'A block of code, which this check cannot look into,', instead: 'plain statements' }];
  return [];
}

/** Whether the statement waits for other transactions without keeping anyone from working. */
function isConcurrent(statement: Node): boolean {
  if ('IndexStmt' in statement) return statement.IndexStmt.concurrent ?? false;
  if ('DropStmt' in statement) return statement.DropStmt.concurrent ?? false;
  return 'ReindexStmt' in statement && isEnabled('concurrently', statement.ReindexStmt.params);
}

function createIndex({ relation, concurrent }: IndexStmt): PossibleLock[] {
  if (concurrent) return [];
  const lock: PossibleLock = {
    relation,
    action: 'CREATE INDEX without CONCURRENTLY',
    instead: 'CREATE INDEX CONCURRENTLY in a migration without a transaction',
  };
  // On a partitioned table alone it creates an empty index, to which those of the partitions are attached.
  if (!relation?.inh) lock.applies = async (catalogue, oid) => !(await catalogue.isPartitioned(oid));
  return [lock];
}

function reindex({ relation, params }: ReindexStmt): PossibleLock[] {
  if (isEnabled('concurrently', params)) return [];
  const instead = 'REINDEX (CONCURRENTLY) in a migration without a transaction';
  return [{ relation, action: 'REINDEX without CONCURRENTLY', instead }];
}

function vacuum({ options, rels = [] }: VacuumStmt): PossibleLock[] {
  if (!isEnabled('full', options)) return [];
  const lock = { action: 'VACUUM FULL', instead: 'VACUUM' };
  if (rels.length === 0) return [lock];
  return rels.map((rel) => ({
    ...lock,
    relation: 'VacuumRelation' in rel ? rel.VacuumRelation.relation : undefined,
  }));
}

function cluster({ relation }: ClusterStmt): PossibleLock[] {
  return [{ relation, action: 'CLUSTER', instead: 'an index that suits the queries' }];
}

function refresh({ relation, concurrent }: RefreshMatViewStmt): PossibleLock[] {
  if (concurrent) return [];
  const action = 'REFRESH MATERIALIZED VIEW without CONCURRENTLY';
  return [{ relation, action, instead: 'REFRESH MATERIALIZED VIEW CONCURRENTLY' }];
}

/** Whether an option is given, with no value or with another one than false. */
function isEnabled(name: string, options: Node[] = []): boolean {
  return options.some((option) => {
    if (!('DefElem' in option) || option.DefElem.defname !== name) return false;
    const { arg } = option.DefElem;
    return !(arg && 'String' in arg && /^(false|off)$/i.test(arg.String.sval ?? ''));
  });
}

import {
  type ClusterStmt,
  type IndexStmt,
  type Node,
  parse,
  type RangeVar,
  type RefreshMatViewStmt,
  type ReindexStmt,
  type VacuumStmt,
} from 'libpg-query';
import { type QueryRunner } from 'typeorm';
import { findAlterTableLocks } from './alter-table-locks';
import { Catalogue, findLargeTables, type LargeTable, type Query, type TableLimits } from './catalogue';

/** What a statement does for as long as it takes to read or write a whole table, while others cannot write to it. */
export interface PossibleLock {
  /** A table, or one of its indexes. Absent if it may be any table. */
  relation?: RangeVar;
  action: string;
  instead: string;
  /** Absent if the table is always locked. */
  applies?: (catalogue: Catalogue, tableOid: string) => Promise<boolean>;
}

export const WITH_INDEX_FIRST =
  'CREATE UNIQUE INDEX CONCURRENTLY in a migration without a transaction, then ADD CONSTRAINT … USING INDEX';
export const VALIDATE_LATER =
  'ADD CONSTRAINT … NOT VALID, then VALIDATE CONSTRAINT in a migration of its own';

export interface Statement {
  text: string;
  node: Node;
}

/** Splits a text into its statements. Throws an error if it is not valid SQL. */
export async function parseStatements(text: string): Promise<Statement[]> {
  const bytes = Buffer.from(text);
  const { stmts = [] } = await parse(text);
  return stmts.flatMap(({ stmt, stmt_location: start = 0, stmt_len: length }) =>
    stmt ? [{ text: bytes.subarray(start, length && start + length).toString(), node: stmt }] : [],
  );
}

/** Returns the names of the functions that an expression calls, without their schemas. */
export function namesOfFunctions(expression: Node | undefined): string[] {
  return findNodes(expression, ['FuncCall']).flatMap(({ funcname }) => {
    const name = (funcname as Node[] | undefined)?.at(-1);
    return name && 'String' in name && name.String.sval ? [name.String.sval] : [];
  });
}

const PLANNED = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'CreateTableAsStmt'];

/** Returns the tables whose rows a statement updates or deletes. Those of a new function do not count. */
function changedTables(statement: Node): RangeVar[] {
  if (!Object.keys(statement).some((type) => PLANNED.includes(type))) return [];
  return findNodes(statement, ['UpdateStmt', 'DeleteStmt', 'MergeStmt']).map(
    ({ relation }) => relation as RangeVar,
  );
}

function findNodes(tree: unknown, types: string[]): Record<string, unknown>[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [
    ...(types.includes(key) ? [value as Record<string, unknown>] : []),
    ...findNodes(value, types),
  ]);
}

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

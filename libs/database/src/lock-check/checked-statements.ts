import { type Node, parse, type RangeVar } from 'libpg-query';
import { type QueryRunner } from 'typeorm';
import { Catalogue, findLargeTables, type LargeTable, type Query, type TableLimits } from './catalogue';
import { findNodes, findPossibleLocks, isEnabled } from './possible-locks';

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

const PLANNED = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'CreateTableAsStmt'];

/** Returns the tables whose rows a statement updates or deletes. Those of a new function do not count. */
function changedTables(statement: Node): RangeVar[] {
  if (!Object.keys(statement).some((type) => PLANNED.includes(type))) return [];
  return findNodes(statement, ['UpdateStmt', 'DeleteStmt', 'MergeStmt']).map(
    ({ relation }) => relation as RangeVar,
  );
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

/** Whether the statement waits for other transactions without keeping anyone from working. */
function isConcurrent(statement: Node): boolean {
  if ('IndexStmt' in statement) return statement.IndexStmt.concurrent ?? false;
  if ('DropStmt' in statement) return statement.DropStmt.concurrent ?? false;
  return 'ReindexStmt' in statement && isEnabled('concurrently', statement.ReindexStmt.params);
}

import { Catalogue } from './catalogue';
import { findLargeTables, type LargeTable, type TableLimits } from './large-tables';
import { type Query } from './query';
import { changedTables, type Statement } from './statement-nodes';
import { findPossibleLocks } from './statement-locks';

const BATCHES = 'batches of a background job';

/**
 * Judges the statements of one migration before they run: whether one would lock a table, which was large before the migration,
 * for as long as it takes to read or write all its rows.
 */
export class LockCheck {
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

import { DefaultNamingStrategy, type NamingStrategyInterface, type Table } from 'typeorm';

const tableName = (table: Table | string): string =>
  (typeof table === 'string' ? table : table.name).split('.').at(-1)!;

/** Columns are the snake case of their properties; keys have the names that PostgreSQL gives them. */
export class PostgresNamingStrategy extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(property: string, customName: string | undefined): string {
    return customName ?? property.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  }

  override joinColumnName(relation: string, referencedColumn: string): string {
    return this.columnName(`${relation}_${referencedColumn}`, undefined);
  }

  override primaryKeyName(table: Table | string): string {
    return `${tableName(table)}_pkey`;
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return [tableName(table), ...columns, 'key'].join('_');
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return [tableName(table), ...columns, 'fkey'].join('_');
  }
}

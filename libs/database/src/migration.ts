import { type MigrationInterface } from 'typeorm';

/**
 * A migration. The name of its class ends with 13 digits, as TypeORM demands: its number. By default it runs in a transaction
 * of its own; with `transaction = false` it runs without one.
 */
export interface Migration extends MigrationInterface {
  /** Why it may lock a large table for long. `migrate` prints the reason instead of refusing the migration. */
  readonly acceptedLock?: string;
}

export type MigrationClass = new () => Migration;

const CLASS_NAME = /^(\w+)(\d{13})$/;

/** Returns the number and the name of a migration: 15 and `0015_memo` for the class `Memo0000000000015`. */
export function describeMigration(className: string): { number: number; name: string } {
  const [, words = className, digits = ''] = CLASS_NAME.exec(className) ?? [];
  const name = words.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return { number: Number(digits), name: `${digits.slice(-4)}_${name}` };
}

import { type QueryRunner } from 'typeorm';
import { type Migration, type MigrationClass } from '../migration';

/** Returns the migration `0001_change`, or with another number, that runs each of the texts. */
export function changing(
  texts: string[],
  number = 1,
  { transaction, acceptedLock }: Partial<Migration> = {},
): MigrationClass {
  const name = `Change${String(number).padStart(13, '0')}`;
  // A class gets the name of the property that holds it.
  const classes: Record<string, MigrationClass> = {
    [name]: class implements Migration {
      readonly transaction = transaction;
      readonly acceptedLock = acceptedLock;

      async up(runner: QueryRunner): Promise<void> {
        for (const text of texts) await runner.query(text);
      }

      async down(): Promise<void> {}
    },
  };
  return classes[name] as MigrationClass;
}

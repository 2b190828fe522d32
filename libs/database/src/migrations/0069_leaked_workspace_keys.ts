import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** Comes with the function that deletes a workspace key which was found in public. */
export class LeakedWorkspaceKeys0000000000069 implements Migration {
  up(): Promise<void> {
    return Promise.resolve();
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('-- Loses nothing.\nDROP FUNCTION IF EXISTS memo.delete_leaked_key');
  }
}

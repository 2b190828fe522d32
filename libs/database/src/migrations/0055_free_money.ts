import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** `wallet.free_money` comes with the function files. */
export class FreeMoney0000000000055 implements Migration {
  async up(): Promise<void> {
    // Nothing but the function changes.
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION wallet.free_money');
  }
}

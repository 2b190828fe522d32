import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** Why a price list was published. */
export class PriceReasons0000000000061 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE pricing.price_lists ADD reason text');
  }

  async down(runner: QueryRunner): Promise<void> {
    // Loses the reasons.
    await runner.query('ALTER TABLE pricing.price_lists DROP COLUMN reason');
  }
}

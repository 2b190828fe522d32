import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- Null: the threshold of the site. 0: no notice, because no balance falls below 0.
ALTER TABLE wallet.wallets ADD COLUMN low_balance_threshold_picos numeric(38, 0);
GRANT UPDATE (low_balance_threshold_picos) ON wallet.wallets TO console;
`;

const DOWN = `
-- Loses which thresholds accounts have chosen.
ALTER TABLE wallet.wallets DROP COLUMN low_balance_threshold_picos;
`;

export class LowBalanceThresholds0000000000030 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

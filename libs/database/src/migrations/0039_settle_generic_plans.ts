import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- PostgreSQL estimates plans for the array of just one batch as cheaper than plans for any array. So it planned five statements anew for
-- each batch, which took up to 18 % of its time.
ALTER FUNCTION metering.settle(text, jsonb) SET plan_cache_mode = force_generic_plan;
`;

const DOWN = `
ALTER FUNCTION metering.settle(text, jsonb) RESET plan_cache_mode;
`;

export class SettleGenericPlans0000000000039 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

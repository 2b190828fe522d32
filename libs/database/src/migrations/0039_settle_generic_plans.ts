import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- The statements of settle read the array of events, whose length PostgreSQL knows only when they run. Plans for just that array
-- looked cheaper than the ones that are kept, so they were made anew for each batch, which took up to a fifth of its time.
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

import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- Sums of whole days of UTC of the whole site, for the dashboard of the staff. A day is summed once, when all its hours are closed.
CREATE TABLE billing.day_figures (
  day timestamptz PRIMARY KEY,
  -- Null: the log did not have them when the day was summed.
  failed_calls bigint,
  refused_calls bigint,
  -- Calls whose time is known, and the sum of their times.
  timed_calls bigint NOT NULL,
  duration_ms numeric(38, 0) NOT NULL
);
CREATE TABLE billing.day_models (
  day timestamptz,
  model text,
  -- Null: some hours of the day were settled before the rollup counted calls.
  calls bigint,
  tokens numeric(38, 0) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  CONSTRAINT day_models_pkey PRIMARY KEY (day, model)
);
CREATE TABLE billing.day_accounts (
  day timestamptz,
  account_id text,
  cost_picos numeric(38, 0) NOT NULL,
  CONSTRAINT day_accounts_pkey PRIMARY KEY (day, account_id)
);
GRANT SELECT, INSERT ON billing.day_figures, billing.day_models, billing.day_accounts TO console;
`;

const DOWN = `
-- Loses nothing but the counts of refused and failed calls that are older than 30 days: the rest is summed again.
DROP TABLE billing.day_figures, billing.day_models, billing.day_accounts;
`;

/** Days of the whole site, so that a dashboard reads few rows. */
export class DayFigures0000000000060 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

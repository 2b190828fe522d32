import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- How far the figures of the dashboard are summed. One row. The tables beside it hold all closed hours before summed_until, an hour of
-- UTC; null: none.
CREATE TABLE billing.figures_progress (
  singleton boolean NOT NULL PRIMARY KEY DEFAULT true CONSTRAINT figures_progress_singleton_check CHECK (singleton),
  summed_until timestamptz
);
INSERT INTO billing.figures_progress DEFAULT VALUES;
CREATE TABLE billing.hour_models (
  hour timestamptz,
  model text,
  -- Null: the hour was settled before the rollup counted calls.
  calls bigint,
  tokens numeric(38, 0) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  CONSTRAINT hour_models_pkey PRIMARY KEY (hour, model)
);
CREATE TABLE billing.day_margins (
  day timestamptz PRIMARY KEY,
  calls bigint NOT NULL,
  uncosted_calls bigint NOT NULL,
  revenue_picos numeric(38, 0) NOT NULL,
  uncosted_revenue_picos numeric(38, 0) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL
);
-- The job sums them again, with the first hours, as it sums all hours. Until it has done so, the dashboard reads the hours of the rollup.
TRUNCATE billing.day_models, billing.day_accounts;
-- Tells how many accounts were active until an hour of the day.
ALTER TABLE billing.day_accounts ADD first_hour timestamptz NOT NULL;
GRANT SELECT, INSERT ON billing.hour_models, billing.day_margins TO console;
GRANT SELECT, UPDATE (summed_until) ON billing.figures_progress TO console;
GRANT UPDATE (cost_picos) ON billing.day_accounts TO console;
`;

const DOWN = `
-- Loses nothing when all days are summed; otherwise the counts of refused and failed calls that are older than 30 days, of the days that
-- are not.
DELETE FROM billing.day_figures
  WHERE day >= (SELECT coalesce(date_trunc('day', summed_until, 'UTC'), '-infinity') FROM billing.figures_progress);
DELETE FROM billing.day_accounts
  WHERE day >= (SELECT coalesce(date_trunc('day', summed_until, 'UTC'), '-infinity') FROM billing.figures_progress);
REVOKE UPDATE (cost_picos) ON billing.day_accounts FROM console;
ALTER TABLE billing.day_accounts DROP first_hour;
DROP TABLE billing.hour_models, billing.day_margins, billing.figures_progress;
`;

/** Hours of the whole site beside its days, so that the dashboard reads few rows also of days that are not over. */
export class HourFigures0000000000081 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

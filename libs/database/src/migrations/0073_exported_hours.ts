import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const TABLE = `
-- The hours of usage and ledger that the console exports for a warehouse.
CREATE TABLE IF NOT EXISTS billing.exported_hours (
  hour timestamptz,
  -- Grows when the hour is exported anew.
  version integer NOT NULL DEFAULT 1,
  -- Names the process that works on it. From due_at on another may.
  claim text NOT NULL,
  due_at timestamptz NOT NULL,
  -- Of the last attempt.
  error text,
  exported_at timestamptz,
  -- The exact text of the manifest that was stored last.
  manifest text,
  usage_rows bigint,
  usage_line_rows bigint,
  ledger_rows bigint,
  bytes bigint,
  cost_picos numeric(38, 0),
  ledger_picos numeric(38, 0),
  CONSTRAINT exported_hours_pkey PRIMARY KEY (hour),
  CONSTRAINT exported_hours_hour_check CHECK (hour = date_trunc('hour', hour, 'UTC')),
  CONSTRAINT exported_hours_version_check CHECK (version > 0),
  CONSTRAINT exported_hours_exported_check CHECK (exported_at IS NULL OR (manifest IS NOT NULL AND usage_rows IS NOT NULL
    AND usage_line_rows IS NOT NULL AND ledger_rows IS NOT NULL AND bytes IS NOT NULL AND cost_picos IS NOT NULL
    AND ledger_picos IS NOT NULL))
);
CREATE INDEX IF NOT EXISTS exported_hours_open ON billing.exported_hours (hour) WHERE exported_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON billing.exported_hours TO console;
`;

const DOWN = `
-- Loses which hours are exported. The files stay; a new export writes the same again.
DROP TABLE billing.exported_hours;
DROP INDEX wallet.transfers_time;
`;

/** Usage and ledger are exported hour by hour, and the transfers of an hour are found. */
export class ExportedHours0000000000073 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS wallet.transfers_time');
    await runner.query(
      "CREATE INDEX CONCURRENTLY transfers_time ON wallet.transfers (created_at, id) WHERE kind <> 'usage'",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

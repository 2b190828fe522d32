import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- One row: the name of the archive in the object storage. A restored backup has the same one; another database never has.
CREATE TABLE metering.usage_archive (
  singleton boolean NOT NULL PRIMARY KEY DEFAULT true CONSTRAINT usage_archive_singleton_check CHECK (singleton),
  id uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO metering.usage_archive DEFAULT VALUES;

-- Days of UTC whose usage events are in the object storage, too, or only there.
CREATE TABLE metering.archived_days (
  -- Start of the day.
  day timestamptz PRIMARY KEY CONSTRAINT archived_days_day_check CHECK (day = date_trunc('day', day, 'UTC')),
  -- The exact text of the day's manifest.json: files, checksums, rows and sums.
  manifest text NOT NULL,
  manifest_sha256 text NOT NULL,
  archived_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- From this time on the events of the day count by the manifest only, and their partition is being removed. Null: they are in
  -- metering.usage_events.
  dropped_at timestamptz,
  -- When the events were brought back.
  restored_at timestamptz
);
GRANT SELECT ON metering.archived_days TO console, router_cost;
`;

const DOWN = `
-- Loses which days are in the object storage. Restore all of them before.
DROP TABLE metering.archived_days;
DROP TABLE metering.usage_archive;
`;

/** The record of the archive of usage events. */
export class ArchivedDays0000000000036 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const OTHER_SCHEDULED_ROWS = `
  SELECT 'send-mail', id, due_at FROM accounts.mail_outbox
  UNION ALL
  SELECT scheduling.provider_task('check-payment', provider), id, due_at
  FROM billing.payments WHERE due_at IS NOT NULL
  UNION ALL
  SELECT scheduling.provider_task('check-refund', p.provider), r.id, r.due_at
  FROM billing.refunds r JOIN billing.payments p ON p.id = r.payment_id WHERE r.due_at IS NOT NULL
  UNION ALL
  SELECT 'fetch-tax-file', document_id, due_at FROM billing.invoice_requests WHERE due_at IS NOT NULL
  UNION ALL
  SELECT scheduling.repository_task(component, repository), component, due_at FROM catalogue.followed_repositories`;

const UP = `
-- A package that arrives in parts. Its row in catalogue.packages exists from the beginning.
CREATE TABLE catalogue.resumable_uploads (
  package_id text PRIMARY KEY REFERENCES catalogue.packages ON DELETE CASCADE,
  -- Bytes of every part but the last one.
  part_bytes bigint NOT NULL CHECK (part_bytes > 0),
  -- The storage's own name of the upload.
  storage_upload_id text NOT NULL,
  -- The digest that the whole file must have; null if the client announced none.
  announced_sha256 bytea CHECK (length(announced_sha256) = 32),
  -- When the file was last changed at the client, by which a client recognizes it.
  file_modified_at timestamptz,
  -- When the client said that all parts had arrived, and where its request came from.
  submitted_at timestamptz,
  submitted_from jsonb,
  -- Null: there is nothing to do.
  next_attempt_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  -- Until then one process joins and checks the parts and no other does.
  claimed_until timestamptz,
  due_at timestamptz
    GENERATED ALWAYS AS (CASE WHEN next_attempt_at IS NOT NULL THEN greatest(next_attempt_at, claimed_until) END) STORED,
  completed_at timestamptz,
  -- Why it did not become a package.
  failure_code text,
  failure_message text,
  CHECK (next_attempt_at IS NULL OR submitted_at IS NOT NULL),
  CHECK ((failure_code IS NULL) = (failure_message IS NULL))
);
CREATE INDEX resumable_uploads_due ON catalogue.resumable_uploads (due_at) WHERE due_at IS NOT NULL;

-- The digest is stored before the part is: whoever writes a part writes this content.
CREATE TABLE catalogue.upload_parts (
  package_id text NOT NULL REFERENCES catalogue.resumable_uploads ON DELETE CASCADE,
  number integer NOT NULL CHECK (number > 0),
  sha256 bytea NOT NULL CHECK (length(sha256) = 32),
  stored_at timestamptz,
  PRIMARY KEY (package_id, number)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON catalogue.resumable_uploads TO console;
GRANT SELECT, INSERT, UPDATE (stored_at) ON catalogue.upload_parts TO console;

CREATE FUNCTION catalogue.schedule_upload_completion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM scheduling.schedule('complete-upload', coalesce(NEW.package_id, OLD.package_id), NEW.due_at);
  RETURN NULL;
END $$;
CREATE TRIGGER upload_completion_scheduled AFTER INSERT OR UPDATE OR DELETE ON catalogue.resumable_uploads
  FOR EACH ROW EXECUTE FUNCTION catalogue.schedule_upload_completion();

CREATE OR REPLACE VIEW scheduling.scheduled_rows (task, id, due_at) AS ${OTHER_SCHEDULED_ROWS}
  UNION ALL
  SELECT 'complete-upload', package_id, due_at FROM catalogue.resumable_uploads WHERE due_at IS NOT NULL;
`;

const DOWN = `
-- Loses the uploads that are not complete. Their packages remain as abandoned uploads, which the clean-up removes.
DELETE FROM catalogue.resumable_uploads;
CREATE OR REPLACE VIEW scheduling.scheduled_rows (task, id, due_at) AS ${OTHER_SCHEDULED_ROWS};
DROP TABLE catalogue.upload_parts, catalogue.resumable_uploads;
DROP FUNCTION catalogue.schedule_upload_completion();
`;

export class ResumableUploads0000000000033 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

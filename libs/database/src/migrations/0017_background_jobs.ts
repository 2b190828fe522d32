import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- A row of these tables that has work to do has one job in the console's queue, at the time at which the row is due.
-- Triggers keep the two in step within the transaction that changes the row. A claim moves the row's job to the end of the
-- claim, so if the process dies, the job that takes over is already queued.
CREATE SCHEMA scheduling;
GRANT USAGE ON SCHEMA scheduling TO console;

ALTER TABLE accounts.mail_outbox ADD COLUMN due_at timestamptz NOT NULL
  GENERATED ALWAYS AS (greatest(next_attempt_at, claimed_until)) STORED;
ALTER TABLE billing.payments ADD COLUMN due_at timestamptz
  GENERATED ALWAYS AS (CASE WHEN next_check_at IS NOT NULL THEN greatest(next_check_at, claimed_until) END) STORED;
ALTER TABLE billing.refunds ADD COLUMN due_at timestamptz
  GENERATED ALWAYS AS (CASE WHEN next_check_at IS NOT NULL THEN greatest(next_check_at, claimed_until) END) STORED;
ALTER TABLE billing.invoice_requests ADD COLUMN due_at timestamptz
  GENERATED ALWAYS AS (CASE WHEN next_attempt_at IS NOT NULL THEN greatest(next_attempt_at, claimed_until) END) STORED;
ALTER TABLE catalogue.followed_repositories ADD COLUMN due_at timestamptz NOT NULL
  GENERATED ALWAYS AS (greatest(next_check_at, claimed_until)) STORED;

DROP INDEX accounts.mail_outbox_due;
CREATE INDEX mail_outbox_due ON accounts.mail_outbox (due_at);
DROP INDEX billing.payments_due;
CREATE INDEX payments_due ON billing.payments (due_at) WHERE due_at IS NOT NULL;
DROP INDEX billing.refunds_due;
CREATE INDEX refunds_due ON billing.refunds (due_at) WHERE due_at IS NOT NULL;
DROP INDEX billing.invoice_requests_due;
CREATE INDEX invoice_requests_due ON billing.invoice_requests (due_at) WHERE due_at IS NOT NULL;

-- Gives a row one job at this time, in place of an earlier one; no job if the time is null.
CREATE FUNCTION scheduling.schedule(task text, id text, due_at timestamptz) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  IF schedule.due_at IS NULL THEN
    PERFORM console_jobs.remove_job(task || ':' || id);
  ELSE
    PERFORM console_jobs.add_job(
      task, json_build_object('id', id), run_at := schedule.due_at, job_key := task || ':' || id);
  END IF;
END $$;
REVOKE ALL ON FUNCTION scheduling.schedule(text, text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION scheduling.schedule(text, text, timestamptz) TO console;

-- Each provider and each followed repository has its own task. A console takes only the tasks of those it is configured
-- for. The name of a task has 128 characters at most, and a repository may have more.
CREATE FUNCTION scheduling.provider_task(task text, provider text) RETURNS text
  LANGUAGE sql IMMUTABLE AS $$ SELECT task || '-at-' || provider $$;
CREATE FUNCTION scheduling.repository_task(component text, repository text) RETURNS text
  LANGUAGE sql IMMUTABLE AS $$ SELECT 'follow-' || component || '-at-' || md5(repository) $$;

-- All rows that have a job.
CREATE VIEW scheduling.scheduled_rows (task, id, due_at) AS
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
  SELECT scheduling.repository_task(component, repository), component, due_at FROM catalogue.followed_repositories;

CREATE FUNCTION accounts.schedule_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM scheduling.schedule('send-mail', coalesce(NEW.id, OLD.id), NEW.due_at);
  RETURN NULL;
END $$;
CREATE TRIGGER mail_scheduled AFTER INSERT OR UPDATE OR DELETE ON accounts.mail_outbox
  FOR EACH ROW EXECUTE FUNCTION accounts.schedule_mail();

CREATE FUNCTION billing.schedule_payment_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM scheduling.schedule(scheduling.provider_task('check-payment', NEW.provider), NEW.id, NEW.due_at);
  RETURN NULL;
END $$;
CREATE TRIGGER payment_check_scheduled AFTER INSERT OR UPDATE ON billing.payments
  FOR EACH ROW EXECUTE FUNCTION billing.schedule_payment_check();

CREATE FUNCTION billing.schedule_refund_check() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  its_provider text := (SELECT provider FROM billing.payments WHERE id = NEW.payment_id);
BEGIN
  PERFORM scheduling.schedule(scheduling.provider_task('check-refund', its_provider), NEW.id, NEW.due_at);
  RETURN NULL;
END $$;
CREATE TRIGGER refund_check_scheduled AFTER INSERT OR UPDATE ON billing.refunds
  FOR EACH ROW EXECUTE FUNCTION billing.schedule_refund_check();

CREATE FUNCTION billing.schedule_tax_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM scheduling.schedule('fetch-tax-file', NEW.document_id, NEW.due_at);
  RETURN NULL;
END $$;
CREATE TRIGGER tax_file_scheduled AFTER INSERT OR UPDATE ON billing.invoice_requests
  FOR EACH ROW EXECUTE FUNCTION billing.schedule_tax_file();

-- Another repository is another task: the job of the former one goes.
CREATE FUNCTION catalogue.schedule_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.repository IS DISTINCT FROM NEW.repository THEN
    PERFORM scheduling.schedule(scheduling.repository_task(OLD.component, OLD.repository), OLD.component, NULL);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM scheduling.schedule(
      scheduling.repository_task(NEW.component, NEW.repository), NEW.component, NEW.due_at);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER follow_scheduled AFTER INSERT OR UPDATE OR DELETE ON catalogue.followed_repositories
  FOR EACH ROW EXECUTE FUNCTION catalogue.schedule_follow();

-- Gives a new job to each row that should have been taken a minute ago and has none that a process could take: a process
-- died between taking the job and claiming the row, the queue repeats the job much later, or the job was taken at the
-- moment at which the row changed. Removes jobs that will not run again.
CREATE FUNCTION scheduling.reschedule_lost() RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
  rescheduled bigint;
BEGIN
  PERFORM scheduling.schedule(task, id, due_at) FROM (
    SELECT task, id, due_at FROM scheduling.scheduled_rows s
    WHERE due_at < now() - interval '1 minute' AND NOT EXISTS (
      SELECT FROM console_jobs.jobs j
      WHERE j.key = s.task || ':' || s.id AND j.locked_at IS NULL AND j.attempts < j.max_attempts
        AND j.run_at <= now())
    LIMIT 1000) lost;
  GET DIAGNOSTICS rescheduled = ROW_COUNT;
  PERFORM console_jobs.complete_jobs(ARRAY(
    SELECT id FROM console_jobs.jobs
    WHERE attempts >= max_attempts AND (locked_at IS NULL OR locked_at < now() - interval '4 hours')));
  RETURN rescheduled;
END $$;
REVOKE ALL ON FUNCTION scheduling.reschedule_lost() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION scheduling.reschedule_lost() TO console;

-- The jobs wake the hosts instead.
DROP TRIGGER mail_queued ON accounts.mail_outbox;
DROP FUNCTION accounts.notify_mail();
DROP TRIGGER invoice_requested ON billing.invoice_requests;
DROP FUNCTION billing.notify_invoice_requests();

-- The rows that are there already.
DO $$
BEGIN
  PERFORM scheduling.schedule(task, id, due_at) FROM scheduling.scheduled_rows;
END $$;
`;

const DOWN = `
-- The rows keep their times, and the up migration gives them their jobs again.
DO $$
BEGIN
  PERFORM console_jobs.remove_job(task || ':' || id) FROM scheduling.scheduled_rows;
END $$;

DROP TRIGGER follow_scheduled ON catalogue.followed_repositories;
DROP FUNCTION catalogue.schedule_follow;
DROP TRIGGER tax_file_scheduled ON billing.invoice_requests;
DROP FUNCTION billing.schedule_tax_file;
DROP TRIGGER refund_check_scheduled ON billing.refunds;
DROP FUNCTION billing.schedule_refund_check;
DROP TRIGGER payment_check_scheduled ON billing.payments;
DROP FUNCTION billing.schedule_payment_check;
DROP TRIGGER mail_scheduled ON accounts.mail_outbox;
DROP FUNCTION accounts.schedule_mail;
DROP SCHEMA scheduling CASCADE;

DROP INDEX accounts.mail_outbox_due, billing.payments_due, billing.refunds_due, billing.invoice_requests_due;
ALTER TABLE accounts.mail_outbox DROP COLUMN due_at;
ALTER TABLE billing.payments DROP COLUMN due_at;
ALTER TABLE billing.refunds DROP COLUMN due_at;
ALTER TABLE billing.invoice_requests DROP COLUMN due_at;
ALTER TABLE catalogue.followed_repositories DROP COLUMN due_at;
CREATE INDEX mail_outbox_due ON accounts.mail_outbox (next_attempt_at);
CREATE INDEX payments_due ON billing.payments (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX refunds_due ON billing.refunds (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX invoice_requests_due ON billing.invoice_requests (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

CREATE FUNCTION accounts.notify_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('mail', '');
  RETURN NULL;
END $$;
CREATE TRIGGER mail_queued AFTER INSERT ON accounts.mail_outbox
  FOR EACH STATEMENT EXECUTE FUNCTION accounts.notify_mail();
CREATE FUNCTION billing.notify_invoice_requests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('invoice_requests', '');
  RETURN NULL;
END $$;
CREATE TRIGGER invoice_requested AFTER INSERT ON billing.invoice_requests
  FOR EACH STATEMENT EXECUTE FUNCTION billing.notify_invoice_requests();
`;

export class BackgroundJobs0000000000017 implements Migration {
  readonly acceptedLock =
    'It was released before this check. It rewrites mails, payments, refunds and invoice requests.';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

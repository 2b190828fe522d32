-- All rows that have a job.
CREATE OR REPLACE VIEW scheduling.scheduled_rows (task, id, due_at) AS
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
  SELECT scheduling.repository_task(component, repository), component, due_at FROM catalogue.followed_repositories
  UNION ALL
  SELECT 'complete-upload', package_id, due_at FROM catalogue.resumable_uploads WHERE due_at IS NOT NULL;

-- Gives a new job to each row that should have been taken a minute ago and has none that a process could take: a process
-- died between taking the job and claiming the row, the queue repeats the job much later, or the job was taken at the
-- moment at which the row changed. Removes jobs that will not run again.
CREATE OR REPLACE FUNCTION scheduling.reschedule_lost()
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
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
REVOKE EXECUTE ON FUNCTION scheduling.reschedule_lost FROM PUBLIC;
GRANT EXECUTE ON FUNCTION scheduling.reschedule_lost TO console;

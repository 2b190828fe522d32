-- Keeps the job that checks a refund at the time at which its row is due.
CREATE OR REPLACE FUNCTION billing.schedule_refund_check()
RETURNS trigger LANGUAGE plpgsql
AS $$
DECLARE
  its_provider text := (SELECT provider FROM billing.payments WHERE id = NEW.payment_id);
BEGIN
  PERFORM scheduling.schedule(scheduling.provider_task('check-refund', its_provider), NEW.id, NEW.due_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER refund_check_scheduled AFTER INSERT OR UPDATE ON billing.refunds
  FOR EACH ROW EXECUTE FUNCTION billing.schedule_refund_check();

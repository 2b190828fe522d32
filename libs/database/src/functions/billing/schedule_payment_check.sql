-- Keeps the job that checks a payment at the time at which its row is due.
CREATE OR REPLACE FUNCTION billing.schedule_payment_check()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM scheduling.schedule(scheduling.provider_task('check-payment', NEW.provider), NEW.id, NEW.due_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payment_check_scheduled AFTER INSERT OR UPDATE ON billing.payments
  FOR EACH ROW EXECUTE FUNCTION billing.schedule_payment_check();

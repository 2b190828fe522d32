-- Keeps the job of a mail at the time at which its row is due.
CREATE OR REPLACE FUNCTION accounts.schedule_mail()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM scheduling.schedule('send-mail', coalesce(NEW.id, OLD.id), NEW.due_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER mail_scheduled AFTER INSERT OR DELETE OR UPDATE ON accounts.mail_outbox
  FOR EACH ROW EXECUTE FUNCTION accounts.schedule_mail();

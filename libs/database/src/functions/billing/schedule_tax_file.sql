-- Keeps the job that fetches a tax file at the time at which its row is due.
CREATE OR REPLACE FUNCTION billing.schedule_tax_file()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM scheduling.schedule('fetch-tax-file', NEW.document_id, NEW.due_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER tax_file_scheduled AFTER INSERT OR UPDATE ON billing.invoice_requests
  FOR EACH ROW EXECUTE FUNCTION billing.schedule_tax_file();

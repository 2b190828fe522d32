-- Keeps the job that completes an upload at the time at which its row is due.
CREATE OR REPLACE FUNCTION catalogue.schedule_upload_completion()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM scheduling.schedule('complete-upload', coalesce(NEW.package_id, OLD.package_id), NEW.due_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER upload_completion_scheduled AFTER INSERT OR DELETE OR UPDATE ON catalogue.resumable_uploads
  FOR EACH ROW EXECUTE FUNCTION catalogue.schedule_upload_completion();

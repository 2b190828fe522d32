-- Another repository is another task: the job of the former one goes.
CREATE OR REPLACE FUNCTION catalogue.schedule_follow()
RETURNS trigger LANGUAGE plpgsql
AS $$
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

CREATE OR REPLACE TRIGGER follow_scheduled AFTER INSERT OR DELETE OR UPDATE ON catalogue.followed_repositories
  FOR EACH ROW EXECUTE FUNCTION catalogue.schedule_follow();

-- Versions of the service that do not know the column still create sessions while the replicas are restarted.
CREATE OR REPLACE FUNCTION agent.set_public_id()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  NEW.public_id := NEW.id;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER public_id_set BEFORE INSERT ON agent.sessions
  FOR EACH ROW WHEN ((new.public_id IS NULL)) EXECUTE FUNCTION agent.set_public_id();

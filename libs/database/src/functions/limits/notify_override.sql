-- Tells the gateways which account has other limits from now on.
CREATE OR REPLACE FUNCTION limits.notify_override()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('limit_overrides', coalesce(NEW.account_id, OLD.account_id));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER override_changed AFTER INSERT OR UPDATE OR DELETE ON limits.overrides
  FOR EACH ROW EXECUTE FUNCTION limits.notify_override();

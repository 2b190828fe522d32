-- Tells all processes that an account or an API key was suspended ('t') or is valid again ('f'), whichever statement does it.
CREATE OR REPLACE FUNCTION accounts.notify_suspension()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('suspensions', concat_ws(':', TG_ARGV[0], NEW.id, NEW.suspended_at IS NOT NULL));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER account_suspended AFTER UPDATE OF suspended_at ON accounts.accounts
  FOR EACH ROW WHEN ((old.suspended_at IS DISTINCT FROM new.suspended_at)) EXECUTE FUNCTION accounts.notify_suspension('account');

CREATE OR REPLACE TRIGGER api_key_suspended AFTER UPDATE OF suspended_at ON accounts.api_keys
  FOR EACH ROW WHEN ((old.suspended_at IS DISTINCT FROM new.suspended_at)) EXECUTE FUNCTION accounts.notify_suspension('api_key');

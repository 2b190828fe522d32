-- Notifies all processes when a credential ends or changes, whichever statement does it.
CREATE OR REPLACE FUNCTION accounts.notify_credential_change()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('credentials', TG_ARGV[0] || ':' || OLD.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER account_changed AFTER DELETE OR UPDATE OF role, stores_responses ON accounts.accounts
  FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('account');

CREATE OR REPLACE TRIGGER api_key_changed AFTER DELETE OR UPDATE OF deleted_at, key_hash, spend_limit_picos, allowed_models, reports_cost,
  disabled_at, expires_at, allowed_ips, requests_per_minute, tokens_per_minute, max_concurrency ON accounts.api_keys
  FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('api_key');

CREATE OR REPLACE TRIGGER session_changed AFTER UPDATE OF ended_at ON accounts.sessions
  FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('session');

CREATE OR REPLACE TRIGGER session_deleted AFTER DELETE ON accounts.sessions
  FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (old.expires_at > now()))) EXECUTE FUNCTION accounts.notify_credential_change('session');

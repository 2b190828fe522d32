-- Deletes at most p_limit expired rows and returns their number. Replicas may call it concurrently.
CREATE OR REPLACE FUNCTION accounts.delete_expired_login_attempts(p_limit integer)
RETURNS bigint LANGUAGE sql
AS $$
  WITH deleted AS (
    DELETE FROM accounts.login_attempts WHERE subject IN (
      SELECT subject FROM accounts.login_attempts WHERE expires_at < clock_timestamp()
      ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED)
    RETURNING 1
  )
  SELECT count(*) FROM deleted;
$$;
REVOKE EXECUTE ON FUNCTION accounts.delete_expired_login_attempts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accounts.delete_expired_login_attempts TO console;

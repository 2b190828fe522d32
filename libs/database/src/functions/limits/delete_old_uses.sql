-- Forgets what was used of limits more than 92 days ago.
CREATE OR REPLACE FUNCTION limits.delete_old_uses()
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
AS $$
  DELETE FROM limits.day_uses WHERE (account_id, subject_id, day) IN (
    SELECT account_id, subject_id, day FROM limits.day_uses WHERE day < (clock_timestamp() AT TIME ZONE 'UTC')::date - 92
    LIMIT 10000 FOR UPDATE SKIP LOCKED
  );
$$;
REVOKE EXECUTE ON FUNCTION limits.delete_old_uses FROM PUBLIC;
GRANT EXECUTE ON FUNCTION limits.delete_old_uses TO gateway;

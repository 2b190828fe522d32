-- An idempotency key is remembered for a day.
CREATE OR REPLACE FUNCTION metering.delete_old_idempotent_calls()
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
AS $$
  DELETE FROM metering.idempotent_calls
  WHERE claimed_at < clock_timestamp() - interval '1 day' AND held_until < clock_timestamp();
$$;
REVOKE EXECUTE ON FUNCTION metering.delete_old_idempotent_calls FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.delete_old_idempotent_calls TO gateway;

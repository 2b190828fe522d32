-- Deletes subjects that nobody has drawn from for two days: nothing of them counts any more.
CREATE OR REPLACE FUNCTION limits.delete_unused()
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
AS $$
  DELETE FROM limits.subjects WHERE id IN (
    SELECT id FROM limits.subjects WHERE drawn_at < clock_timestamp() - interval '2 days' LIMIT 1000 FOR UPDATE SKIP LOCKED
  );
$$;
REVOKE EXECUTE ON FUNCTION limits.delete_unused FROM PUBLIC;
GRANT EXECUTE ON FUNCTION limits.delete_unused TO gateway;

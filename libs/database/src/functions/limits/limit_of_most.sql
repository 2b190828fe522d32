-- Of which of two limits the most was used; of the lower one if as much was used of both. Null is no limit.
CREATE OR REPLACE FUNCTION limits.limit_of_most(p_known bigint, p_known_limit bigint, p_used bigint, p_limit bigint)
RETURNS bigint LANGUAGE sql IMMUTABLE SET search_path = pg_catalog
AS $$
  SELECT CASE
    WHEN p_limit IS NULL OR p_used < p_known THEN coalesce(p_known_limit, p_limit)
    WHEN p_used > p_known THEN p_limit
    ELSE least(p_known_limit, p_limit)
  END;
$$;
REVOKE EXECUTE ON FUNCTION limits.limit_of_most FROM PUBLIC;

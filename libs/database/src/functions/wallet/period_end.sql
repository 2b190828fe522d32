-- When the period that begins with a day of a time zone ends: with the begin of the next one. Null for 'total', which never begins.
CREATE OR REPLACE FUNCTION wallet.period_end(p_period text, p_starts_on date, p_zone text)
RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT (p_starts_on + CASE p_period WHEN 'day' THEN interval '1 day' WHEN 'week' THEN interval '7 days' ELSE interval '1 month' END)
    AT TIME ZONE p_zone
$$;
REVOKE EXECUTE ON FUNCTION wallet.period_end FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.period_end TO console, training;

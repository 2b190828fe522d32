-- The first day, in a time zone, of the period ('day', 'week' from Monday, 'month') in which an instant lies; null for 'total'. Without
-- a setting of its own, so that PostgreSQL puts the expression in the place of the call.
CREATE OR REPLACE FUNCTION wallet.period_start(p_period text, p_at timestamptz, p_zone text)
RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT date_trunc(nullif(p_period, 'total'), p_at AT TIME ZONE p_zone)::date
$$;
REVOKE EXECUTE ON FUNCTION wallet.period_start FROM PUBLIC;
-- Those who read the view wallet.key_spending, or change limits.
GRANT EXECUTE ON FUNCTION wallet.period_start TO console, training;

-- Today's value of one unit of a currency in USD. Null if no rate is stored.
CREATE OR REPLACE FUNCTION training.usd_per_unit(p_currency text)
RETURNS numeric LANGUAGE sql STABLE
AS $$
  SELECT CASE p_currency WHEN 'USD' THEN 1 ELSE (
    SELECT usd_per_unit FROM pricing.exchange_rates WHERE day <= (now() AT TIME ZONE 'UTC')::date
    ORDER BY day DESC LIMIT 1
  ) END;
$$;
REVOKE EXECUTE ON FUNCTION training.usd_per_unit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION training.usd_per_unit TO training;

-- Stores what upstreams take for calls that nobody is charged for, once for each batch id, and adds it to the margins that wait.
CREATE OR REPLACE FUNCTION metering.add_uncharged_costs(p_id text, p_costs jsonb)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  at timestamptz;
BEGIN
  -- Gives the transaction its id before it reads the clock: no hour is closed that ends after that (see roll_up_hours).
  INSERT INTO metering.settlements (id) VALUES (p_id) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  at := greatest(clock_timestamp(), (SELECT rolled_until FROM metering.rollup_progress));
  WITH costs AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(p_costs) AS c(request_id text, attempt integer, account_id text, model text, upstream text,
      list bigint, cost_picos numeric)
  ), stored AS (
    INSERT INTO metering.uncharged_costs (request_id, attempt, occurred_at, account_id, model, upstream, cost_price_list_id, cost_picos)
    SELECT request_id, attempt, at, account_id, model, upstream, list, cost_picos FROM costs
  )
  INSERT INTO metering.unfolded_margins (account_id, day, model, upstream, calls, uncosted_calls, revenue_picos,
    uncosted_revenue_picos, cost_picos)
  SELECT account_id, date_trunc('day', at, 'UTC'), model, upstream, 0, 0, 0, 0, sum(cost_picos)
  FROM costs GROUP BY account_id, model, upstream;
END $$;
REVOKE EXECUTE ON FUNCTION metering.add_uncharged_costs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.add_uncharged_costs TO gateway;

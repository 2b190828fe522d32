-- Adds the next closed hours with usage to the sums of days, months and the site: at most p_hours, one day, and p_rows
-- (or one hour, if that has more), so that a step takes seconds and adds to most days once. Returns whether to call again at once.
-- An hour is closed when each transaction that may have settled in it has ended. A settlement gets its transaction id before it
-- reads the clock. So the ids of all settlements of an hour are lower than an id that is given after its end, and the hour is
-- closed when no running transaction has a lower id than that one. No settlement waits for this. The further minute is for the
-- clock of a server that takes over. Of a closed hour everything is folded first; an hour that has rows set aside is left out.
CREATE OR REPLACE FUNCTION metering.roll_up_hours(p_hours integer DEFAULT 24, p_rows integer DEFAULT 1000000)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  closed timestamptz := date_trunc('hour', clock_timestamp() - interval '1 minute', 'UTC');
  own_id xid8;
  rolled timestamptz;
  first timestamptz;
  goal timestamptz;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL OR current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'roll_up_hours must run in a transaction of its own with isolation level read committed';
  END IF;
  -- A host that is at work keeps the row locked.
  SELECT rolled_until INTO rolled FROM metering.rollup_progress FOR UPDATE SKIP LOCKED;
  IF NOT FOUND OR rolled >= closed THEN
    RETURN false;
  END IF;
  own_id := pg_current_xact_id();
  -- Each statement has a new snapshot. Five seconds; after that the next run tries again.
  FOR attempt IN 1..100 LOOP
    EXIT WHEN pg_snapshot_xmin(pg_current_snapshot()) >= own_id;
    IF attempt = 100 THEN
      RETURN false;
    END IF;
    PERFORM pg_sleep(0.05);
  END LOOP;

  IF EXISTS (SELECT FROM metering.unfolded_usage WHERE hour < closed) THEN
    PERFORM metering.fold('0', 1000);
    closed := least(closed, (SELECT min(hour) FROM metering.unfolded_usage WHERE hour < closed));
    IF rolled >= closed THEN
      RETURN false;
    END IF;
  END IF;

  IF rolled IS NULL THEN
    SELECT date_trunc('day', min(hour), 'UTC') INTO rolled FROM metering.hourly_rollup;
    IF rolled IS NULL OR rolled >= closed THEN
      RETURN false;
    END IF;
  END IF;
  SELECT min(hour) INTO first FROM metering.hourly_rollup WHERE hour >= rolled;
  goal := least(closed, date_trunc('day', first, 'UTC') + interval '24 hours', first + greatest(p_hours, 1) * interval '1 hour');
  SELECT least(goal, min(h.hour) FILTER (WHERE h.hour > first AND h.total > p_rows)) INTO goal FROM (
    SELECT hour, sum(count(*)) OVER (ORDER BY hour) AS total FROM metering.hourly_rollup
    WHERE hour >= first AND hour < goal GROUP BY hour
  ) h;

  WITH hours AS MATERIALIZED (
    SELECT date_trunc('day', hour, 'UTC') AS day, account_id, model, entrypoint, unit, api_key_id, sum(quantity) AS quantity,
      sum(tokens) AS tokens, sum(cost_picos) AS cost_picos, sum(cost_usd_picos) AS cost_usd_picos
    FROM metering.hourly_rollup WHERE hour >= rolled AND hour < goal GROUP BY 1, 2, 3, 4, 5, 6
  ), account_days AS (
    INSERT INTO metering.account_daily_costs AS r
      (day, account_id, model, entrypoint, tokens, cost_usd_picos)
    SELECT day, account_id, model, entrypoint, sum(tokens), sum(cost_usd_picos)
    FROM hours GROUP BY 1, account_id, model, entrypoint
    ON CONFLICT (day, account_id, model, entrypoint) DO UPDATE SET
      tokens = r.tokens + excluded.tokens, cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos
  )
    INSERT INTO metering.daily_rollup AS r
      (day, account_id, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
    SELECT day, account_id, model, entrypoint, unit, api_key_id, sum(quantity), sum(tokens), sum(cost_picos), sum(cost_usd_picos)
    FROM hours GROUP BY 1, account_id, model, entrypoint, unit, api_key_id
    ON CONFLICT (day, account_id, model, entrypoint, unit, api_key_id) DO UPDATE SET
      quantity = r.quantity + excluded.quantity, tokens = r.tokens + excluded.tokens,
      cost_picos = r.cost_picos + excluded.cost_picos, cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos;

    INSERT INTO metering.site_hourly_costs AS r
      (hour, model, entrypoint, tokens, cost_usd_picos)
    SELECT hour, model, entrypoint, sum(tokens), sum(cost_usd_picos)
    FROM metering.hourly_rollup WHERE hour >= rolled AND hour < goal GROUP BY 1, model, entrypoint
    ON CONFLICT (hour, model, entrypoint) DO UPDATE SET
      tokens = r.tokens + excluded.tokens, cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos;

    INSERT INTO metering.site_daily_costs AS r
      (day, model, entrypoint, tokens, cost_usd_picos)
    SELECT date_trunc('day', hour, 'UTC'), model, entrypoint, sum(tokens), sum(cost_usd_picos)
    FROM metering.site_hourly_costs WHERE hour >= rolled AND hour < goal GROUP BY 1, model, entrypoint
    ON CONFLICT (day, model, entrypoint) DO UPDATE SET
      tokens = r.tokens + excluded.tokens, cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos;
  -- Days that have ended.
  IF date_trunc('day', rolled, 'UTC') < date_trunc('day', goal, 'UTC') THEN

    INSERT INTO metering.monthly_rollup AS r
      (month, account_id, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
    SELECT date_trunc('month', day, 'UTC'), account_id, model, entrypoint, unit, api_key_id, sum(quantity), sum(tokens), sum(cost_picos), sum(cost_usd_picos)
    FROM metering.daily_rollup WHERE day >= date_trunc('day', rolled, 'UTC') AND day < date_trunc('day', goal, 'UTC') GROUP BY 1, account_id, model, entrypoint, unit, api_key_id
    ON CONFLICT (month, account_id, model, entrypoint, unit, api_key_id) DO UPDATE SET
      quantity = r.quantity + excluded.quantity, tokens = r.tokens + excluded.tokens,
      cost_picos = r.cost_picos + excluded.cost_picos, cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos;

    INSERT INTO metering.account_monthly_costs AS r
      (month, account_id, model, entrypoint, tokens, cost_usd_picos)
    SELECT date_trunc('month', day, 'UTC'), account_id, model, entrypoint, sum(tokens), sum(cost_usd_picos)
    FROM metering.account_daily_costs WHERE day >= date_trunc('day', rolled, 'UTC') AND day < date_trunc('day', goal, 'UTC') GROUP BY 1, account_id, model, entrypoint
    ON CONFLICT (month, account_id, model, entrypoint) DO UPDATE SET
      tokens = r.tokens + excluded.tokens, cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos;

    INSERT INTO metering.site_monthly_costs AS r
      (month, model, entrypoint, tokens, cost_usd_picos)
    SELECT date_trunc('month', day, 'UTC'), model, entrypoint, sum(tokens), sum(cost_usd_picos)
    FROM metering.site_daily_costs WHERE day >= date_trunc('day', rolled, 'UTC') AND day < date_trunc('day', goal, 'UTC') GROUP BY 1, model, entrypoint
    ON CONFLICT (month, model, entrypoint) DO UPDATE SET
      tokens = r.tokens + excluded.tokens, cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos;
  END IF;
  UPDATE metering.rollup_progress SET rolled_until = goal;
  RETURN goal < closed;
END $$;
REVOKE EXECUTE ON FUNCTION metering.roll_up_hours FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.roll_up_hours TO gateway;

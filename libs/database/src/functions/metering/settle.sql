-- Stores a batch of events, adds them to the rollup and debits them, in one transaction. Returns the ids of the requests
-- that the wallet does not cover.
-- The plan is generic: PostgreSQL estimates plans for the array of just one batch as cheaper than plans for any array, and so planned
-- five statements anew for each batch, which took up to 18 % of its time.
CREATE OR REPLACE FUNCTION metering.settle(p_id text, p_events jsonb)
RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  events metering.settlement_event[];
  refused text[] := '{}';
  at timestamptz;
  this_hour timestamptz;
BEGIN
  INSERT INTO metering.settlements (id) VALUES (p_id) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN QUERY SELECT unnest(refused_request_ids) FROM metering.settlements WHERE id = p_id;
    RETURN;
  END IF;
  SELECT array_agg(e) INTO events FROM jsonb_populate_recordset(NULL::metering.settlement_event, p_events) e;
  PERFORM FROM wallet.wallets WHERE account_id IN (SELECT e.account_id FROM unnest(events) e)
  ORDER BY account_id FOR UPDATE;
  IF EXISTS (
    SELECT FROM (SELECT e.lease_id, sum(e.cost_picos) AS cost FROM unnest(events) e GROUP BY e.lease_id) s
    LEFT JOIN wallet.leases l ON l.id = s.lease_id WHERE s.cost > coalesce(l.amount_picos, 0)
  ) THEN
    SELECT c.p_events, c.p_refused INTO events, refused FROM metering.cover_short_events(events) c;
    UPDATE metering.settlements SET refused_request_ids = refused WHERE id = p_id;
  END IF;
  at := greatest(clock_timestamp(), (SELECT rolled_until FROM metering.rollup_progress));
  this_hour := date_trunc('hour', at, 'UTC');

  INSERT INTO metering.usage_events (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint,
    endpoint, upstream, outcome, input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos,
    cost_usd_picos, lines, settlement_id, duration_ms, time_to_first_token_ms, finish_reason)
  SELECT request_id, at, started_at, account_id, api_key_id, model, entrypoint, endpoint, upstream, outcome,
    input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines, p_id,
    duration_ms, time_to_first_token_ms, finish_reason
  FROM unnest(events)
  -- Not in the type of the events: sessions that settle meanwhile could not read its arrays. Earlier gateways send none of it.
  LEFT JOIN jsonb_to_recordset(p_events)
    AS told(request_id text, duration_ms integer, time_to_first_token_ms integer, finish_reason text) USING (request_id);

  INSERT INTO metering.hourly_rollup AS r
    (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos, calls)
  SELECT e.account_id, this_hour, e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, ''), sum(l.quantity), sum(l.tokens),
    sum(l.cost_picos), sum(l.cost_usd_picos), count(*) FILTER (WHERE l.number = 1)
  FROM unnest(events) e
  CROSS JOIN ROWS FROM (jsonb_to_recordset(e.lines)
    AS (unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric))
    WITH ORDINALITY AS l(unit, quantity, tokens, cost_picos, cost_usd_picos, number)
  GROUP BY e.account_id, e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, '')
  ON CONFLICT (account_id, hour, model, entrypoint, unit, api_key_id) DO UPDATE SET
    quantity = r.quantity + excluded.quantity,
    tokens = r.tokens + excluded.tokens,
    cost_picos = r.cost_picos + excluded.cost_picos,
    cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos,
    -- Null stays: of the calls of that hour some were not counted.
    calls = r.calls + excluded.calls;

  WITH debits AS (
    SELECT e.account_id, e.model, sum(e.cost_picos) AS cost,
      p_id || '.' || row_number() OVER (ORDER BY e.account_id, e.model) AS transfer_id
    FROM unnest(events) e WHERE e.cost_picos > 0 GROUP BY e.account_id, e.model
  ), transfers AS (
    INSERT INTO wallet.transfers (id, kind, account_id, reference, description, model, hour, created_at)
    SELECT transfer_id, 'usage', account_id, 'usage:' || transfer_id, 'Usage of ' || model, model, this_hour, at FROM debits
  )
  INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
  SELECT transfer_id, 'wallet:' || account_id, -cost FROM debits
  UNION ALL
  SELECT transfer_id, 'revenue:usage', cost FROM debits;

  UPDATE wallet.wallets w SET balance_picos = balance_picos - s.cost, leased_picos = leased_picos - s.cost
  FROM (SELECT e.account_id, sum(e.cost_picos) AS cost FROM unnest(events) e GROUP BY e.account_id) s
  WHERE w.account_id = s.account_id AND s.cost > 0;
  UPDATE wallet.leases l SET amount_picos = amount_picos - s.cost
  FROM (SELECT e.lease_id, sum(e.cost_picos) AS cost FROM unnest(events) e GROUP BY e.lease_id) s
  WHERE l.id = s.lease_id AND s.cost > 0;
  UPDATE wallet.key_budgets b SET spent_picos = spent_picos + s.cost, leased_picos = leased_picos - s.from_lease
  FROM (
    SELECT e.api_key_id, sum(e.cost_picos) AS cost, coalesce(sum(e.cost_picos) FILTER (WHERE e.limited), 0) AS from_lease
    FROM unnest(events) e GROUP BY e.api_key_id
  ) s
  WHERE b.api_key_id = s.api_key_id AND s.cost > 0;
  RETURN QUERY SELECT unnest(refused);
END $$;
REVOKE EXECUTE ON FUNCTION metering.settle FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.settle TO gateway;

-- Stores a batch of events that their leases cover, once for each batch id. No wallet is locked: the money leaves the leases, and
-- metering.fold debits the wallets later. Returns the ids of the requests whose lease does not cover its part of the batch. They are
-- not stored: metering.settle decides them.
CREATE OR REPLACE FUNCTION metering.append(p_id text, p_events jsonb)
RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  left_out text[];
BEGIN
  INSERT INTO metering.settlements (id) VALUES (p_id) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN QUERY SELECT unnest(refused_request_ids) FROM metering.settlements WHERE id = p_id;
    RETURN;
  END IF;
  PERFORM FROM wallet.leases
  WHERE id IN (SELECT e.lease_id FROM jsonb_to_recordset(p_events) AS e(lease_id text)) ORDER BY id FOR NO KEY UPDATE;
  WITH events AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(p_events) AS e(request_id text, lease_id text, account_id text, cost_picos numeric)
    WHERE cost_picos > 0
  ), debited AS (
    UPDATE wallet.leases l SET amount_picos = l.amount_picos - d.cost
    FROM (SELECT lease_id, account_id, sum(cost_picos) AS cost FROM events GROUP BY lease_id, account_id) d
    WHERE l.id = d.lease_id AND l.account_id = d.account_id AND l.amount_picos >= d.cost
    RETURNING l.id, l.account_id
  )
  SELECT coalesce(array_agg(e.request_id) FILTER (WHERE d.id IS NULL), '{}') INTO left_out
  FROM events e LEFT JOIN debited d ON d.id = e.lease_id AND d.account_id = e.account_id;
  IF left_out <> '{}' THEN
    UPDATE metering.settlements SET refused_request_ids = left_out WHERE id = p_id;
  END IF;
  PERFORM metering.insert_events(p_id, p_events, left_out);
  RETURN QUERY SELECT unnest(left_out);
END $$;
REVOKE EXECUTE ON FUNCTION metering.append FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.append TO gateway;

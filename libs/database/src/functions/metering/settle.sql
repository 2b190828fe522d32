-- Stores a batch of events and debits them at once, in one transaction, once for each batch id: wallets first, so that what a lease does not
-- cover can be taken from the free money. Returns the ids of the requests that the wallet does not cover.
-- For events that metering.append has left out, for usage without a lease, and for gateways of earlier versions.
CREATE OR REPLACE FUNCTION metering.settle(p_id text, p_events jsonb)
RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  events metering.settlement_event[];
  accounts text[];
  refused text[] := '{}';
BEGIN
  INSERT INTO metering.settlements (id) VALUES (p_id) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN QUERY SELECT unnest(refused_request_ids) FROM metering.settlements WHERE id = p_id;
    RETURN;
  END IF;
  SELECT array_agg(e), array_agg(DISTINCT e.account_id) INTO events, accounts
  FROM jsonb_populate_recordset(NULL::metering.settlement_event, p_events) e;
  PERFORM FROM wallet.wallets WHERE account_id = ANY (accounts) ORDER BY account_id FOR UPDATE;
  -- An append debits leases without the lock of their wallet.
  PERFORM FROM wallet.leases WHERE id IN (SELECT e.lease_id FROM unnest(events) e) ORDER BY id FOR NO KEY UPDATE;
  IF EXISTS (
    SELECT FROM (SELECT e.lease_id, sum(e.cost_picos) AS cost FROM unnest(events) e GROUP BY e.lease_id) s
    LEFT JOIN wallet.leases l ON l.id = s.lease_id WHERE s.cost > coalesce(l.amount_picos, 0)
  ) THEN
    -- What the keys have spent is known only then.
    PERFORM metering.fold_or_set_aside(accounts);
    SELECT c.p_events, c.p_refused INTO events, refused FROM metering.cover_short_events(events) c;
    UPDATE metering.settlements SET refused_request_ids = refused WHERE id = p_id;
  END IF;
  UPDATE wallet.leases l SET amount_picos = amount_picos - s.cost
  FROM (SELECT e.lease_id, sum(e.cost_picos) AS cost FROM unnest(events) e GROUP BY e.lease_id) s
  WHERE l.id = s.lease_id AND s.cost > 0;
  PERFORM metering.insert_events(p_id, p_events, refused);
  PERFORM metering.fold_or_set_aside(accounts);
  RETURN QUERY SELECT unnest(refused);
END $$;
REVOKE EXECUTE ON FUNCTION metering.settle FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.settle TO gateway;

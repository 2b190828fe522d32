-- Extends leases and returns the ids of those that still exist. Like all functions of this schema, it first locks the
-- wallets in the order of their ids, so that concurrent calls do not deadlock.
CREATE OR REPLACE FUNCTION wallet.renew_leases(p_ids text[], p_ttl_seconds integer)
RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
BEGIN
  PERFORM FROM wallet.wallets
  WHERE account_id IN (SELECT account_id FROM wallet.leases WHERE id = ANY (p_ids))
  ORDER BY account_id FOR UPDATE;
  -- In the order in which metering.append locks them.
  PERFORM FROM wallet.leases WHERE id = ANY (p_ids) ORDER BY id FOR NO KEY UPDATE;
  RETURN QUERY
    UPDATE wallet.leases SET expires_at = clock_timestamp() + make_interval(secs => p_ttl_seconds)
    WHERE id = ANY (p_ids) RETURNING id;
END $$;
REVOKE EXECUTE ON FUNCTION wallet.renew_leases FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.renew_leases TO gateway;

-- Reclaims the expired leases of all wallets and returns the number of wallets. Processes may call it concurrently.
CREATE OR REPLACE FUNCTION wallet.reclaim_expired_leases()
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  account text;
  swept integer := 0;
BEGIN
  FOR account IN
    SELECT account_id FROM wallet.wallets
    WHERE account_id IN (
      SELECT l.account_id FROM wallet.leases l LEFT JOIN wallet.lease_holders h ON h.id = l.holder
      WHERE l.expires_at < clock_timestamp() AND coalesce(h.expires_at < clock_timestamp(), true)
    )
    ORDER BY account_id FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM wallet.reclaim_expired(account);
    swept := swept + 1;
  END LOOP;
  DELETE FROM wallet.lease_holders WHERE expires_at < clock_timestamp() - interval '1 day';
  RETURN swept;
END $$;
REVOKE EXECUTE ON FUNCTION wallet.reclaim_expired_leases FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.reclaim_expired_leases TO gateway;

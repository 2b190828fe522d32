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
    WHERE account_id IN (SELECT account_id FROM wallet.leases WHERE expires_at < clock_timestamp())
    ORDER BY account_id FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM wallet.reclaim_expired(account);
    swept := swept + 1;
  END LOOP;
  RETURN swept;
END $$;
REVOKE EXECUTE ON FUNCTION wallet.reclaim_expired_leases FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.reclaim_expired_leases TO gateway;

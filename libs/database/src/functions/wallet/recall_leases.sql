-- Asks the gateways to return the money of a wallet that none of their requests holds, and reclaims its expired leases.
-- Called again and again by a deduction that waits.
CREATE OR REPLACE FUNCTION wallet.recall_leases(p_account text, p_wait_seconds double precision)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
BEGIN
  UPDATE wallet.wallets SET deduction_waits_until = clock_timestamp() + make_interval(secs => p_wait_seconds)
  WHERE account_id = p_account;
  PERFORM wallet.reclaim_expired(p_account);
  PERFORM pg_notify('lease_recall', p_account);
END $$;
REVOKE EXECUTE ON FUNCTION wallet.recall_leases FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.recall_leases TO console;

-- Deletes the expired leases of one wallet and makes their money available again. The caller must hold the lock of the
-- wallet's row.
CREATE OR REPLACE FUNCTION wallet.reclaim_expired(p_account text)
RETURNS void LANGUAGE sql
AS $$
  WITH expired AS (
    DELETE FROM wallet.leases WHERE account_id = p_account AND expires_at < clock_timestamp()
    RETURNING api_key_id, amount_picos
  ), keys AS (
    UPDATE wallet.key_budgets b SET leased_picos = b.leased_picos - e.amount
    FROM (SELECT api_key_id, sum(amount_picos) AS amount FROM expired GROUP BY api_key_id) e
    WHERE b.api_key_id = e.api_key_id
  )
  UPDATE wallet.wallets SET leased_picos = leased_picos - (SELECT coalesce(sum(amount_picos), 0) FROM expired)
  WHERE account_id = p_account AND EXISTS (SELECT FROM expired);
$$;
REVOKE EXECUTE ON FUNCTION wallet.reclaim_expired FROM PUBLIC;

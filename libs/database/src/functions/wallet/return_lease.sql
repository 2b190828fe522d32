-- Returns p_amount of a lease to its wallet. With p_close it returns the whole amount and deletes the lease. The result is
-- false if the lease does not exist any more.
CREATE OR REPLACE FUNCTION wallet.return_lease(p_id text, p_amount numeric, p_close boolean)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  l wallet.leases;
BEGIN
  PERFORM FROM wallet.wallets
  WHERE account_id = (SELECT account_id FROM wallet.leases WHERE id = p_id) FOR UPDATE;
  SELECT * INTO l FROM wallet.leases WHERE id = p_id FOR UPDATE;
  IF l.id IS NULL THEN
    RETURN false;
  END IF;
  IF p_close THEN
    p_amount := l.amount_picos;
    DELETE FROM wallet.leases WHERE id = p_id;
  ELSE
    UPDATE wallet.leases SET amount_picos = amount_picos - p_amount WHERE id = p_id;
  END IF;
  UPDATE wallet.wallets SET leased_picos = leased_picos - p_amount WHERE account_id = l.account_id;
  UPDATE wallet.key_budgets SET leased_picos = leased_picos - p_amount WHERE api_key_id = l.api_key_id;
  RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION wallet.return_lease FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.return_lease TO gateway;

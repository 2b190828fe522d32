-- Folds what waits of one account, for who is about to change a figure that the fold changes too. Locks the wallet until the end of
-- the transaction.
CREATE OR REPLACE FUNCTION metering.fold_account(p_account text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
BEGIN
  PERFORM FROM wallet.wallets WHERE account_id = p_account FOR UPDATE;
  PERFORM metering.fold_or_set_aside(ARRAY[p_account]);
END $$;
REVOKE EXECUTE ON FUNCTION metering.fold_account FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.fold_account TO console;

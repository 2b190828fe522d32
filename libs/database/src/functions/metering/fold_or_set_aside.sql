-- Folds what waits of these accounts, whose wallets the caller has locked. The rows of an account that cannot be folded are set aside for
-- a minute: readers count them all the same.
CREATE OR REPLACE FUNCTION metering.fold_or_set_aside(p_accounts text[])
RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  account text;
BEGIN
  PERFORM metering.fold_accounts(p_accounts);
EXCEPTION WHEN integrity_constraint_violation OR data_exception THEN
  IF cardinality(p_accounts) = 1 THEN
    RAISE WARNING 'the usage of % is set aside: %', p_accounts[1], SQLERRM;
    UPDATE metering.unfolded_usage SET retry_at = clock_timestamp() + interval '1 minute' WHERE account_id = p_accounts[1];
    RETURN;
  END IF;
  FOREACH account IN ARRAY p_accounts LOOP
    PERFORM metering.fold_or_set_aside(ARRAY[account]);
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION metering.fold_or_set_aside FROM PUBLIC;

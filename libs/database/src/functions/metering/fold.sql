-- Folds usage that has waited for p_min_age or longer, and margins without usage, of at most p_accounts accounts. Any number of processes may
-- call it at once: each skips the wallets that others have locked. The rows of an account that cannot be folded are set aside, so that they
-- do not hold up others, and are tried again after a minute. Returns the number of folded accounts, and what usage waits then.
CREATE OR REPLACE FUNCTION metering.fold(
  p_min_age interval,
  p_accounts integer,
  OUT folded integer,
  OUT waiting bigint,
  OUT set_aside bigint,
  OUT oldest_seconds double precision
)
RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  accounts text[];
  latest timestamptz := clock_timestamp() - p_min_age;
BEGIN
  SELECT array_agg(account_id) INTO accounts FROM (
    SELECT account_id FROM wallet.wallets
    WHERE account_id IN (
      SELECT account_id FROM (
        SELECT account_id FROM metering.unfolded_usage GROUP BY account_id
        -- A clock that was set back does not make them wait longer.
        HAVING (min(appended_at) <= latest OR min(appended_at) > latest + p_min_age)
          AND coalesce(max(retry_at) <= clock_timestamp(), true)
        UNION ALL
        -- Of accounts that have only costs that nobody is charged for; others are folded with their usage.
        SELECT account_id FROM metering.unfolded_margins m
        WHERE calls = 0 AND NOT EXISTS (SELECT FROM metering.unfolded_usage u WHERE u.account_id = m.account_id)
        GROUP BY account_id
      ) due
      LIMIT p_accounts
    )
    ORDER BY account_id FOR UPDATE SKIP LOCKED
  ) locked;
  folded := coalesce(cardinality(accounts), 0);
  IF folded > 0 THEN
    PERFORM metering.fold_or_set_aside(accounts);
  END IF;
  SELECT count(*), count(*) FILTER (WHERE retry_at IS NOT NULL),
    coalesce(extract(epoch FROM clock_timestamp() - min(appended_at) FILTER (WHERE retry_at IS NULL)), 0)
  INTO waiting, set_aside, oldest_seconds FROM metering.unfolded_usage;
END $$;
REVOKE EXECUTE ON FUNCTION metering.fold FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.fold TO gateway;

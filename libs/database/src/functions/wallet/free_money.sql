-- What can still be drawn from a wallet, and under the limit of a key: null for a key without one. No row without a wallet.
CREATE OR REPLACE FUNCTION wallet.free_money(p_account text, p_key text, OUT in_wallet numeric, OUT under_limit numeric)
RETURNS SETOF record LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
AS $$
  SELECT w.balance_picos - w.leased_picos, (
    -- As wallet.draw_lease computes it.
    SELECT b.limit_picos - b.leased_picos - CASE
      WHEN b.period = 'total' THEN b.spent_picos
      -- A new period begins with the next draw.
      WHEN coalesce(b.period_starts_on, '-infinity') < wallet.period_start(b.period, now(), b.time_zone) THEN 0
      ELSE b.period_spent_picos
    END - (
      SELECT coalesce(sum(cost_picos - limited_picos), 0) FROM metering.unfolded_usage
      WHERE account_id = p_account AND api_key_id = p_key
    )
    FROM wallet.key_budgets b WHERE b.api_key_id = p_key AND b.account_id = p_account
  )
  FROM wallet.wallets w WHERE w.account_id = p_account
$$;
REVOKE EXECUTE ON FUNCTION wallet.free_money FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.free_money TO gateway;

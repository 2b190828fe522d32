-- Folds what waits of these accounts into rollup, margins, ledger, wallets and key budgets. The caller holds the locks of their wallets, so
-- that each row is folded once: only who has the lock takes the account's rows.
CREATE OR REPLACE FUNCTION metering.fold_accounts(p_accounts text[])
RETURNS void LANGUAGE sql
AS $$
  WITH taken AS (
    DELETE FROM metering.unfolded_usage WHERE account_id = ANY (p_accounts) RETURNING *
  ), taken_margins AS (
    DELETE FROM metering.unfolded_margins WHERE account_id = ANY (p_accounts) RETURNING *
  ), margins AS (
    INSERT INTO metering.daily_margins AS m
      (day, account_id, model, upstream, calls, uncosted_calls, revenue_picos, uncosted_revenue_picos, cost_picos)
    SELECT day, account_id, model, upstream, sum(calls), sum(uncosted_calls), sum(revenue_picos), sum(uncosted_revenue_picos),
      sum(cost_picos)
    FROM taken_margins GROUP BY day, account_id, model, upstream
    ON CONFLICT (day, account_id, model, upstream) DO UPDATE SET
      calls = m.calls + excluded.calls,
      uncosted_calls = m.uncosted_calls + excluded.uncosted_calls,
      revenue_picos = m.revenue_picos + excluded.revenue_picos,
      uncosted_revenue_picos = m.uncosted_revenue_picos + excluded.uncosted_revenue_picos,
      cost_picos = m.cost_picos + excluded.cost_picos
  ), rollup AS (
    INSERT INTO metering.hourly_rollup AS r
      (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos, calls)
    SELECT account_id, hour, model, entrypoint, unit, api_key_id, sum(quantity), sum(tokens), sum(cost_picos),
      sum(cost_usd_picos), sum(calls)
    FROM taken GROUP BY account_id, hour, model, entrypoint, unit, api_key_id
    ON CONFLICT (account_id, hour, model, entrypoint, unit, api_key_id) DO UPDATE SET
      quantity = r.quantity + excluded.quantity,
      tokens = r.tokens + excluded.tokens,
      cost_picos = r.cost_picos + excluded.cost_picos,
      cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos,
      -- Null stays: of the calls of that hour some were not counted.
      calls = r.calls + excluded.calls
  ), debits AS MATERIALIZED (
    SELECT account_id, model, hour, sum(cost_picos) AS cost, max(appended_at) AS appended_at,
      'usg_' || replace(gen_random_uuid()::text, '-', '') AS transfer_id
    FROM taken GROUP BY account_id, model, hour HAVING sum(cost_picos) > 0
  ), transfers AS (
    INSERT INTO wallet.transfers (id, kind, account_id, reference, description, model, hour, created_at)
    SELECT transfer_id, 'usage', account_id, 'usage:' || transfer_id, 'Usage of ' || model, model, hour, appended_at
    FROM debits
  ), entries AS (
    INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
    SELECT transfer_id, 'wallet:' || account_id, -cost FROM debits
    UNION ALL
    SELECT transfer_id, 'revenue:usage', cost FROM debits
  ), of_periods AS (
    -- A call counts in the period in which it was settled. Null: the limit of the key is one in all.
    SELECT t.api_key_id, t.cost_picos, t.limited_picos,
      wallet.period_start(k.period, t.appended_at, k.time_zone) AS starts_on
    FROM taken t JOIN wallet.key_budgets k ON k.api_key_id = t.api_key_id
  ), keys AS (
    UPDATE wallet.key_budgets b SET spent_picos = spent_picos + s.cost, leased_picos = leased_picos - s.limited,
      period_starts_on = greatest(b.period_starts_on, s.starts_on),
      period_spent_picos = CASE
        WHEN s.starts_on > coalesce(b.period_starts_on, '-infinity') THEN s.newest_cost
        WHEN s.starts_on = b.period_starts_on THEN b.period_spent_picos + s.newest_cost
        ELSE b.period_spent_picos
      END
    FROM (
      SELECT api_key_id, sum(cost_picos) AS cost, sum(limited_picos) AS limited, max(starts_on) AS starts_on,
        sum(cost_picos) FILTER (WHERE starts_on = newest) AS newest_cost
      FROM (SELECT *, max(starts_on) OVER (PARTITION BY api_key_id) AS newest FROM of_periods) o GROUP BY api_key_id
    ) s
    WHERE b.api_key_id = s.api_key_id AND s.cost > 0
  )
  UPDATE wallet.wallets w SET balance_picos = balance_picos - s.cost, leased_picos = leased_picos - s.cost
  FROM (SELECT account_id, sum(cost) AS cost FROM debits GROUP BY account_id) s WHERE w.account_id = s.account_id;
$$;
REVOKE EXECUTE ON FUNCTION metering.fold_accounts FROM PUBLIC;

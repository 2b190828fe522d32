-- Records usage once, counts it against the quota and settles it at the published price, all or nothing.
-- outcome: 'recorded' (now or by an earlier call), or the reason why nothing was recorded: 'unknown_account', 'id_reused',
-- 'price_missing', 'rate_missing', 'quota', 'balance' or 'leased'. 'leased' means that the balance is sufficient but is in
-- leases of gateways, which were asked to return it.
CREATE OR REPLACE FUNCTION training.record_usage(
  p_id text,
  p_account text,
  p_model text,
  p_tokens bigint,
  p_event_id text,
  p_price_slug text,
  p_default_total bigint,
  OUT outcome text,
  OUT cost numeric,
  OUT currency text,
  OUT recorded timestamptz
)
RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  w wallet.wallets;
  r training.usage_records;
  q training.quotas;
  list_id bigint;
  rate numeric;
  usd numeric;
  cost_usd numeric;
BEGIN
  -- First the wallet, as everywhere; its lock is also what makes an account's records come one after the other.
  SELECT * INTO w FROM wallet.wallets WHERE account_id = p_account FOR UPDATE;
  IF w.account_id IS NULL THEN
    outcome := 'unknown_account';
    RETURN;
  END IF;
  currency := w.currency;
  SELECT * INTO r FROM training.usage_records WHERE id = p_id;
  IF r.id IS NOT NULL THEN
    outcome := CASE WHEN (r.account_id, r.model, r.tokens) = (p_account, p_model, p_tokens) THEN 'recorded' ELSE 'id_reused' END;
    cost := r.cost_picos;
    recorded := r.recorded_at;
    RETURN;
  END IF;

  SELECT p.price_list_id, p.rate_picos INTO list_id, rate FROM training.token_price(p_price_slug) p;
  usd := training.usd_per_unit(w.currency);
  IF rate IS NULL OR usd IS NULL THEN
    outcome := CASE WHEN rate IS NULL THEN 'price_missing' ELSE 'rate_missing' END;
    RETURN;
  END IF;
  cost := rate * p_tokens;
  cost_usd := round(cost * usd);

  SELECT * INTO q FROM training.quotas WHERE account_id = p_account FOR UPDATE;
  IF coalesce(q.used_tokens, 0) + p_tokens > coalesce(q.total_tokens, p_default_total) THEN
    outcome := 'quota';
    RETURN;
  END IF;
  IF w.balance_picos - w.leased_picos < cost THEN
    PERFORM wallet.reclaim_expired(p_account);
    SELECT * INTO w FROM wallet.wallets WHERE account_id = p_account;
    IF (SELECT balance_picos FROM wallet.balances WHERE account_id = p_account) < cost THEN
      outcome := 'balance';
      RETURN;
    ELSIF w.balance_picos - w.leased_picos < cost THEN
      PERFORM pg_notify('lease_recall', p_account);
      outcome := 'leased';
      RETURN;
    END IF;
  END IF;

  recorded := clock_timestamp();
  INSERT INTO training.usage_records (id, account_id, model, tokens, event_id, cost_picos, recorded_at)
  VALUES (p_id, p_account, p_model, p_tokens, p_event_id, cost, recorded) ON CONFLICT (id) DO NOTHING;
  IF NOT FOUND THEN
    -- Of another account, at this very moment.
    outcome := 'id_reused';
    RETURN;
  END IF;
  INSERT INTO training.quotas AS t (account_id, used_tokens) VALUES (p_account, p_tokens)
  ON CONFLICT (account_id) DO UPDATE SET used_tokens = t.used_tokens + excluded.used_tokens;
  PERFORM * FROM metering.settle(p_event_id, jsonb_build_array(jsonb_build_object(
    'request_id', p_event_id, 'limited', false, 'started_at', recorded, 'account_id', p_account,
    'model', p_price_slug, 'entrypoint', 'training', 'endpoint', 'training/usage', 'upstream', 'trainer',
    'outcome', 'completed', 'input_tokens', p_tokens, 'output_tokens', 0, 'estimated', false,
    'price_list_id', list_id, 'usd_per_unit', usd, 'cost_picos', cost, 'cost_usd_picos', cost_usd,
    'lines', jsonb_build_array(jsonb_build_object('unit', 'per_million_tokens', 'quantity', p_tokens, 'tokens', p_tokens,
      'cost_picos', cost, 'cost_usd_picos', cost_usd)))));
  IF FOUND THEN
    RAISE EXCEPTION 'the usage % was not settled though the wallet covers it', p_event_id;
  END IF;
  outcome := 'recorded';
END $$;
REVOKE EXECUTE ON FUNCTION training.record_usage FROM PUBLIC;
GRANT EXECUTE ON FUNCTION training.record_usage TO training;

import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
CREATE SCHEMA training;
GRANT USAGE ON SCHEMA training TO training;

-- How many tokens an account may use for training, and has used. Without a total the default of the service applies.
CREATE TABLE training.quotas (
  account_id text PRIMARY KEY REFERENCES accounts.accounts,
  total_tokens bigint CHECK (total_tokens >= 0),
  used_tokens bigint NOT NULL DEFAULT 0 CHECK (used_tokens >= 0)
);

-- Changes of totals: who, when, old and new total. Append-only.
CREATE TABLE training.quota_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  changed_by text NOT NULL REFERENCES accounts.accounts,
  from_tokens bigint NOT NULL,
  to_tokens bigint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX quota_changes_account ON training.quota_changes (account_id, id DESC);

-- Usage that trainers have reported under ids of their own, and the usage event of its settlement. Append-only.
CREATE TABLE training.usage_records (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  -- The model that was trained. The usage event has the slug of the price instead.
  model text NOT NULL,
  tokens bigint NOT NULL CHECK (tokens > 0),
  event_id text NOT NULL UNIQUE,
  cost_picos numeric(38, 0) NOT NULL CHECK (cost_picos >= 0),
  recorded_at timestamptz NOT NULL
);
CREATE INDEX usage_records_account ON training.usage_records (account_id);

-- The current price of a token under a slug. Null if the slug has no price per token, or has other prices too.
CREATE FUNCTION training.token_price(p_slug text, OUT price_list_id bigint, OUT rate_picos numeric) LANGUAGE sql STABLE AS $$
  SELECT p.price_list_id, p.rate_picos
  FROM pricing.model_prices p
  WHERE p.price_list_id = (SELECT max(id) FROM pricing.price_lists WHERE kind = 'models')
    AND p.slug = p_slug AND p.unit = 'per_million_tokens'
    AND NOT EXISTS (
      SELECT FROM pricing.model_prices o
      WHERE o.price_list_id = p.price_list_id AND o.slug = p.slug AND o.unit <> p.unit
    );
$$;

-- Today's value of one unit of a currency in USD. Null if no rate is stored.
CREATE FUNCTION training.usd_per_unit(p_currency text) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT CASE p_currency WHEN 'USD' THEN 1 ELSE (
    SELECT usd_per_unit FROM pricing.exchange_rates WHERE day <= (now() AT TIME ZONE 'UTC')::date
    ORDER BY day DESC LIMIT 1
  ) END;
$$;

-- Records usage once, counts it against the quota and settles it at the published price, all or nothing.
-- outcome: 'recorded' (now or by an earlier call), or the reason why nothing was recorded: 'unknown_account', 'id_reused',
-- 'price_missing', 'rate_missing', 'quota', 'balance' or 'leased'. 'leased' means that the balance is sufficient but is in
-- leases of gateways, which were asked to return it.
CREATE FUNCTION training.record_usage(
  p_id text, p_account text, p_model text, p_tokens bigint, p_event_id text, p_price_slug text, p_default_total bigint,
  OUT outcome text, OUT cost numeric, OUT currency text, OUT recorded timestamptz
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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
    IF w.balance_picos < cost THEN
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

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA training FROM PUBLIC;
GRANT EXECUTE ON FUNCTION training.token_price, training.usd_per_unit, training.record_usage TO training;
GRANT SELECT, INSERT (account_id, total_tokens), UPDATE (total_tokens) ON training.quotas TO training;
GRANT SELECT, INSERT ON training.quota_changes TO training;
`;

const DOWN = `
-- Loses the quotas and their usage. What was charged stays in the ledger.
DROP SCHEMA training CASCADE;
`;

export class Training0000000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

-- Moves money from a wallet into a lease: into p_current if that lease still exists, otherwise into the new lease p_new.
-- Grants an amount between p_need and p_want, only p_need while a deduction waits, or nothing. If nothing is granted, lease_id is
-- null, refusal is the reason ('balance' or 'key_limit'), and elsewhere_picos is the amount in other leases, or 0 if even that would
-- not be enough.
CREATE OR REPLACE FUNCTION wallet.draw_lease(
  p_account text,
  p_key text,
  p_current text,
  p_new text,
  p_holder text,
  p_need numeric,
  p_want numeric,
  p_ttl_seconds integer,
  OUT lease_id text,
  OUT granted_picos numeric,
  OUT refusal text,
  OUT elsewhere_picos numeric
)
RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  w wallet.wallets;
  b wallet.key_budgets;
  free numeric;
  starts_on date;
BEGIN
  PERFORM FROM wallet.wallets WHERE account_id = p_account FOR UPDATE;
  PERFORM wallet.reclaim_expired(p_account);
  SELECT * INTO w FROM wallet.wallets WHERE account_id = p_account;
  free := w.balance_picos - w.leased_picos;
  elsewhere_picos := (
    SELECT coalesce(sum(amount_picos), 0) FROM wallet.leases WHERE account_id = p_account AND id IS DISTINCT FROM p_current
  );
  IF free IS NULL OR free < p_need THEN
    refusal := 'balance';
    IF free + elsewhere_picos < p_need THEN
      elsewhere_picos := 0;
    END IF;
    RETURN;
  END IF;
  IF p_key IS NOT NULL THEN
    SELECT * INTO b FROM wallet.key_budgets WHERE api_key_id = p_key AND account_id = p_account;
    IF b.limit_picos IS NOT NULL AND b.period <> 'total' THEN
      starts_on := wallet.period_start(b.period, clock_timestamp(), b.time_zone);
      IF coalesce(b.period_starts_on, '-infinity') < starts_on THEN
        -- What waits was settled in the period that has ended, or just now: the fold tells. What is set aside then counts in the new period.
        PERFORM metering.fold_or_set_aside(ARRAY[p_account]);
        UPDATE wallet.key_budgets SET period_starts_on = starts_on, period_spent_picos = 0
        WHERE api_key_id = p_key AND coalesce(period_starts_on, '-infinity') < starts_on;
        SELECT * INTO b FROM wallet.key_budgets WHERE api_key_id = p_key AND account_id = p_account;
      END IF;
    END IF;
    IF b.limit_picos IS NOT NULL THEN
      -- What waits from before the key had a limit is set aside from none.
      free := least(free, b.limit_picos - CASE b.period WHEN 'total' THEN b.spent_picos ELSE b.period_spent_picos END - b.leased_picos - (
        SELECT coalesce(sum(cost_picos - limited_picos), 0) FROM metering.unfolded_usage
        WHERE account_id = p_account AND api_key_id = p_key
      ));
    END IF;
    IF b.api_key_id IS NULL OR free < p_need THEN
      refusal := 'key_limit';
      elsewhere_picos := (
        SELECT coalesce(sum(amount_picos), 0) FROM wallet.leases
        WHERE account_id = p_account AND api_key_id = p_key AND id IS DISTINCT FROM p_current
      );
      IF free + elsewhere_picos < p_need THEN
        elsewhere_picos := 0;
      END IF;
      RETURN;
    END IF;
  END IF;
  -- Money in reserve would keep the deduction out.
  IF w.deduction_waits_until > clock_timestamp() THEN
    p_want := p_need;
  END IF;
  -- While money is short a quarter at a time, so that it is not stuck where it is not needed.
  granted_picos := greatest(p_need, least(p_want, trunc(free / 4)));
  UPDATE wallet.key_budgets SET leased_picos = leased_picos + granted_picos WHERE api_key_id = p_key;
  UPDATE wallet.wallets SET leased_picos = leased_picos + granted_picos WHERE account_id = p_account;
  UPDATE wallet.leases
  SET amount_picos = amount_picos + granted_picos,
      expires_at = clock_timestamp() + make_interval(secs => p_ttl_seconds)
  WHERE id = p_current RETURNING id INTO lease_id;
  IF lease_id IS NULL THEN
    INSERT INTO wallet.leases (id, account_id, api_key_id, holder, amount_picos, expires_at)
    VALUES (p_new, p_account, p_key, p_holder, granted_picos, clock_timestamp() + make_interval(secs => p_ttl_seconds));
    lease_id := p_new;
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION wallet.draw_lease FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.draw_lease TO gateway;

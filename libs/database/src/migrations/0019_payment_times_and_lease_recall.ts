import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- The provider's clock may be behind, and its times have whole seconds.
UPDATE billing.payments SET paid_at = created_at WHERE paid_at < created_at;
ALTER TABLE billing.payments ADD CONSTRAINT payments_paid_after_creation CHECK (paid_at >= created_at);

-- A payment is shown with all its refunds, failed ones too. refunds_once covers only the others.
CREATE INDEX refunds_payment ON billing.refunds (payment_id, created_at);

-- A deduction of the console waits until this time for money that the gateways return. Until then a draw gets only what
-- requests need.
ALTER TABLE wallet.wallets ADD COLUMN deduction_waits_until timestamptz;

-- Asks the gateways to return the money of a wallet that none of their requests holds, and reclaims its expired leases.
-- Called again and again by a deduction that waits.
CREATE FUNCTION wallet.recall_leases(p_account text, p_wait_seconds double precision) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  UPDATE wallet.wallets SET deduction_waits_until = clock_timestamp() + make_interval(secs => p_wait_seconds)
  WHERE account_id = p_account;
  PERFORM wallet.reclaim_expired(p_account);
  PERFORM pg_notify('lease_recall', p_account);
END $$;
REVOKE EXECUTE ON FUNCTION wallet.recall_leases FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.recall_leases TO console;

-- As before, but without a reserve while a deduction waits.
CREATE OR REPLACE FUNCTION wallet.draw_lease(
  p_account text, p_key text, p_current text, p_new text, p_holder text,
  p_need numeric, p_want numeric, p_ttl_seconds integer,
  OUT lease_id text, OUT granted_picos numeric, OUT refusal text, OUT elsewhere_picos numeric
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  w wallet.wallets;
  b wallet.key_budgets;
  free numeric;
BEGIN
  PERFORM FROM wallet.wallets WHERE account_id = p_account FOR UPDATE;
  PERFORM wallet.reclaim_expired(p_account);
  SELECT * INTO w FROM wallet.wallets WHERE account_id = p_account;
  free := w.balance_picos - w.leased_picos;
  elsewhere_picos := w.leased_picos - coalesce((SELECT amount_picos FROM wallet.leases WHERE id = p_current), 0);
  IF free IS NULL OR free < p_need THEN
    refusal := 'balance';
    IF free + elsewhere_picos < p_need THEN
      elsewhere_picos := 0;
    END IF;
    RETURN;
  END IF;
  IF p_key IS NOT NULL THEN
    SELECT * INTO b FROM wallet.key_budgets WHERE api_key_id = p_key AND account_id = p_account;
    IF b.limit_picos IS NOT NULL THEN
      free := least(free, b.limit_picos - b.spent_picos - b.leased_picos);
    END IF;
    IF b.api_key_id IS NULL OR free < p_need THEN
      refusal := 'key_limit';
      elsewhere_picos := b.leased_picos - coalesce((SELECT amount_picos FROM wallet.leases WHERE id = p_current), 0);
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
`;

const DOWN = `
-- Loses nothing of value. Payment times that were moved stay moved.

-- The body of 0004_wallet.
CREATE OR REPLACE FUNCTION wallet.draw_lease(
  p_account text, p_key text, p_current text, p_new text, p_holder text,
  p_need numeric, p_want numeric, p_ttl_seconds integer,
  OUT lease_id text, OUT granted_picos numeric, OUT refusal text, OUT elsewhere_picos numeric
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  w wallet.wallets;
  b wallet.key_budgets;
  free numeric;
BEGIN
  PERFORM FROM wallet.wallets WHERE account_id = p_account FOR UPDATE;
  PERFORM wallet.reclaim_expired(p_account);
  SELECT * INTO w FROM wallet.wallets WHERE account_id = p_account;
  free := w.balance_picos - w.leased_picos;
  elsewhere_picos := w.leased_picos - coalesce((SELECT amount_picos FROM wallet.leases WHERE id = p_current), 0);
  IF free IS NULL OR free < p_need THEN
    refusal := 'balance';
    IF free + elsewhere_picos < p_need THEN
      elsewhere_picos := 0;
    END IF;
    RETURN;
  END IF;
  IF p_key IS NOT NULL THEN
    SELECT * INTO b FROM wallet.key_budgets WHERE api_key_id = p_key AND account_id = p_account;
    IF b.limit_picos IS NOT NULL THEN
      free := least(free, b.limit_picos - b.spent_picos - b.leased_picos);
    END IF;
    IF b.api_key_id IS NULL OR free < p_need THEN
      refusal := 'key_limit';
      elsewhere_picos := b.leased_picos - coalesce((SELECT amount_picos FROM wallet.leases WHERE id = p_current), 0);
      IF free + elsewhere_picos < p_need THEN
        elsewhere_picos := 0;
      END IF;
      RETURN;
    END IF;
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
DROP FUNCTION wallet.recall_leases;
ALTER TABLE wallet.wallets DROP COLUMN deduction_waits_until;
DROP INDEX billing.refunds_payment;
ALTER TABLE billing.payments DROP CONSTRAINT payments_paid_after_creation;
`;

export class PaymentTimesAndLeaseRecall0000000000019 implements Migration {
  readonly acceptedLock =
    'It was released before this check. It reads all payments and builds an index of the refunds.';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

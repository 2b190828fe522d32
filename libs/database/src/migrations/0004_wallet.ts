import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
CREATE SCHEMA wallet;
GRANT USAGE ON SCHEMA wallet TO console, gateway, training;

-- balance = sum of the wallet's entries; leased = sum of its leases. Money is spent from a lease or from the part that is
-- not leased. The check makes an overdraft impossible even if a caller has an error.
CREATE TABLE wallet.wallets (
  account_id text PRIMARY KEY REFERENCES accounts.accounts,
  currency text NOT NULL CHECK (currency IN ('USD', 'CNY')),
  balance_picos numeric(38, 0) NOT NULL DEFAULT 0,
  leased_picos numeric(38, 0) NOT NULL DEFAULT 0,
  CONSTRAINT wallet_covers_leases CHECK (leased_picos >= 0 AND balance_picos >= leased_picos)
);

-- The amount that an API key has spent, and the part of its spending limit that is set aside in leases.
CREATE TABLE wallet.key_budgets (
  api_key_id text PRIMARY KEY REFERENCES accounts.api_keys,
  account_id text NOT NULL REFERENCES accounts.accounts,
  limit_picos numeric(38, 0) CHECK (limit_picos >= 0),
  spent_picos numeric(38, 0) NOT NULL DEFAULT 0,
  leased_picos numeric(38, 0) NOT NULL DEFAULT 0 CHECK (leased_picos >= 0)
);

CREATE TABLE wallet.leases (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES wallet.wallets,
  -- Set if the amount is also set aside from the spending limit of this key.
  api_key_id text REFERENCES wallet.key_budgets,
  holder text NOT NULL,
  amount_picos numeric(38, 0) NOT NULL CHECK (amount_picos >= 0),
  expires_at timestamptz NOT NULL
);
CREATE INDEX leases_account ON wallet.leases (account_id);
CREATE INDEX leases_expiry ON wallet.leases (expires_at);

-- The ledger: append-only. The entries of each transfer sum to zero.
CREATE TABLE wallet.transfers (
  id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('topup', 'usage', 'adjustment')),
  account_id text NOT NULL REFERENCES wallet.wallets,
  -- Identifies the reason of the transfer, so that the same reason cannot be booked twice.
  reference text NOT NULL UNIQUE,
  description text NOT NULL,
  -- Of usage only. Reconciliation compares the transfers with the rollup by model and hour.
  model text,
  hour timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((kind = 'usage') = (model IS NOT NULL AND hour IS NOT NULL))
);
CREATE INDEX transfers_statement ON wallet.transfers (account_id, created_at DESC, id DESC) WHERE kind <> 'usage';
CREATE INDEX transfers_usage ON wallet.transfers (account_id, hour) WHERE kind = 'usage';

CREATE TABLE wallet.entries (
  transfer_id text NOT NULL REFERENCES wallet.transfers,
  -- wallet:<account id>, revenue:usage, equity:adjustments, or provider:<payment provider>.
  ledger_account text NOT NULL,
  amount_picos numeric(38, 0) NOT NULL,
  PRIMARY KEY (transfer_id, ledger_account)
);
CREATE INDEX entries_account ON wallet.entries (ledger_account);

-- Deletes the expired leases of one wallet and makes their money available again. The caller must hold the lock of the
-- wallet's row.
CREATE FUNCTION wallet.reclaim_expired(p_account text) RETURNS void LANGUAGE sql AS $$
  WITH expired AS (
    DELETE FROM wallet.leases WHERE account_id = p_account AND expires_at < clock_timestamp()
    RETURNING api_key_id, amount_picos
  ), keys AS (
    UPDATE wallet.key_budgets b SET leased_picos = b.leased_picos - e.amount
    FROM (SELECT api_key_id, sum(amount_picos) AS amount FROM expired GROUP BY api_key_id) e
    WHERE b.api_key_id = e.api_key_id
  )
  UPDATE wallet.wallets SET leased_picos = leased_picos - (SELECT coalesce(sum(amount_picos), 0) FROM expired)
  WHERE account_id = p_account AND EXISTS (SELECT FROM expired);
$$;

-- Moves money from a wallet into a lease: into p_current if that lease still exists, otherwise into the new lease p_new.
-- Grants an amount between p_need and p_want, or nothing. If nothing is granted, lease_id is null, refusal is the reason
-- ('balance' or 'key_limit'), and elsewhere_picos is the amount in other leases, or 0 if even that would not be enough.
CREATE FUNCTION wallet.draw_lease(
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

-- Extends leases and returns the ids of those that still exist. Like all functions of this schema, it first locks the
-- wallets in the order of their ids, so that concurrent calls do not deadlock.
CREATE FUNCTION wallet.renew_leases(p_ids text[], p_ttl_seconds integer) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  PERFORM FROM wallet.wallets
  WHERE account_id IN (SELECT account_id FROM wallet.leases WHERE id = ANY (p_ids))
  ORDER BY account_id FOR UPDATE;
  RETURN QUERY
    UPDATE wallet.leases SET expires_at = clock_timestamp() + make_interval(secs => p_ttl_seconds)
    WHERE id = ANY (p_ids) RETURNING id;
END $$;

-- Returns p_amount of a lease to its wallet. With p_close it returns the whole amount and deletes the lease. The result is
-- false if the lease does not exist any more.
CREATE FUNCTION wallet.return_lease(p_id text, p_amount numeric, p_close boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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

-- Reclaims the expired leases of all wallets and returns the number of wallets. Processes may call it concurrently.
CREATE FUNCTION wallet.sweep_leases() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  account text;
  swept integer := 0;
BEGIN
  FOR account IN
    SELECT account_id FROM wallet.wallets
    WHERE account_id IN (SELECT account_id FROM wallet.leases WHERE expires_at < clock_timestamp())
    ORDER BY account_id FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM wallet.reclaim_expired(account);
    swept := swept + 1;
  END LOOP;
  RETURN swept;
END $$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA wallet FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.draw_lease, wallet.renew_leases, wallet.return_lease, wallet.sweep_leases TO gateway;
GRANT SELECT ON wallet.wallets TO gateway, training;
GRANT SELECT, INSERT ON wallet.wallets, wallet.key_budgets, wallet.transfers, wallet.entries TO console;
GRANT UPDATE (balance_picos) ON wallet.wallets TO console;
GRANT SELECT ON wallet.leases TO console;
`;

const DOWN = `
-- Loses all wallets and the ledger.
DROP SCHEMA wallet CASCADE;
`;

export class Wallet0000000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

-- Up Migration
CREATE SCHEMA billing;
GRANT USAGE ON SCHEMA billing TO console;

-- A top-up through a payment provider. Amounts are in hundredths of the currency (cents, fen).
CREATE TABLE billing.payments (
  -- Also the provider's name for the order, so at most 32 of [A-Za-z0-9_].
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_]{6,32}$'),
  account_id text NOT NULL REFERENCES wallet.wallets,
  provider text NOT NULL
    CHECK (provider IN ('card_provider', 'messaging_pay_provider', 'wallet_pay_provider')),
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  currency text NOT NULL CHECK (currency IN ('USD', 'CNY')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'failed', 'expired')),
  -- Where the payer is sent afterwards; being sent there proves nothing.
  return_url text,
  -- The provider's own id of the order, where it makes one.
  provider_order_id text UNIQUE,
  -- How to pay; null until the provider has taken the order.
  checkout_type text CHECK (checkout_type IN ('redirect', 'qr')),
  checkout_url text,
  -- The provider's id of what was paid.
  provider_reference text,
  payer_name text,
  payer_email text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- After it the order is closed at the provider.
  expires_at timestamptz NOT NULL,
  -- The provider's time.
  paid_at timestamptz,
  -- When it became failed or expired; why it failed.
  ended_at timestamptz,
  failure text,
  -- When the provider is asked next; null when it is asked no more.
  next_check_at timestamptz,
  -- While one host is asking.
  claimed_until timestamptz,
  UNIQUE (provider, provider_reference),
  CHECK ((checkout_type IS NULL) = (checkout_url IS NULL)),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL AND provider_reference IS NOT NULL)),
  CHECK (status NOT IN ('failed', 'expired') OR ended_at IS NOT NULL)
);
CREATE INDEX payments_list ON billing.payments (account_id, created_at DESC, id DESC);
CREATE INDEX payments_pending ON billing.payments (account_id) WHERE status = 'pending';
CREATE INDEX payments_due ON billing.payments (next_check_at) WHERE next_check_at IS NOT NULL;

-- A payment is given back at most once, in whole or in part; an attempt that failed does not count.
CREATE TABLE billing.refunds (
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_]{6,32}$'),
  payment_id text NOT NULL REFERENCES billing.payments,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  reason text,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
  -- The provider's id of the refund.
  provider_reference text,
  failure text,
  -- The admin who ordered it.
  ordered_by text NOT NULL REFERENCES accounts.accounts,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  next_check_at timestamptz,
  claimed_until timestamptz,
  CHECK ((status = 'pending') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX refunds_once ON billing.refunds (payment_id) WHERE status <> 'failed';
CREATE INDEX refunds_due ON billing.refunds (next_check_at) WHERE next_check_at IS NOT NULL;

-- What was done under an idempotency key, and the first answer, word for word.
CREATE TABLE billing.idempotency_keys (
  account_id text NOT NULL REFERENCES accounts.accounts,
  operation text NOT NULL,
  key text NOT NULL,
  -- SHA-256 of the request, to tell the same request from another one under the same key.
  fingerprint bytea NOT NULL,
  -- What is being made, when the answer comes only after another party was asked.
  resource_id text,
  -- Null until it was answered.
  answer text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, operation, key)
);
CREATE INDEX idempotency_keys_age ON billing.idempotency_keys (created_at);

-- A wallet that once held enough and has not been told since that it holds little.
ALTER TABLE wallet.wallets ADD COLUMN low_balance_notice_due boolean NOT NULL DEFAULT false;

-- Nobody changes whose a payment is, how much it is, or through whom it came.
GRANT SELECT, INSERT ON billing.payments, billing.refunds TO console;
GRANT UPDATE (status, provider_order_id, checkout_type, checkout_url, provider_reference, payer_name, payer_email,
  paid_at, ended_at, failure, next_check_at, claimed_until) ON billing.payments TO console;
GRANT UPDATE (status, provider_reference, failure, ended_at, next_check_at, claimed_until) ON billing.refunds TO console;
GRANT SELECT, INSERT, UPDATE, DELETE ON billing.idempotency_keys TO console;
GRANT UPDATE (low_balance_notice_due) ON wallet.wallets TO console;

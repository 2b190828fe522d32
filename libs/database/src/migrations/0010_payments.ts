import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
CREATE SCHEMA billing;
GRANT USAGE ON SCHEMA billing TO console;

-- A top-up through a payment provider. Amounts are in hundredths of the currency (cents, fen).
CREATE TABLE billing.payments (
  -- Also sent to the provider as our order number, which may have at most 32 characters of [A-Za-z0-9_].
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_]{6,32}$'),
  account_id text NOT NULL REFERENCES wallet.wallets,
  provider text NOT NULL
    CHECK (provider IN ('card_provider', 'messaging_pay_provider', 'wallet_pay_provider')),
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  currency text NOT NULL CHECK (currency IN ('USD', 'CNY')),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'failed', 'expired')),
  -- The page to which the provider sends the payer afterwards. A visit of it does not prove a payment.
  return_url text,
  -- The provider's id of the order, if the provider assigns one.
  provider_order_id text UNIQUE,
  -- How to pay. Null until the provider has accepted the order.
  checkout_type text CHECK (checkout_type IN ('redirect', 'qr')),
  checkout_url text,
  -- The provider's id of the payment.
  provider_reference text,
  payer_name text,
  payer_email text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- After this time the order is closed at the provider.
  expires_at timestamptz NOT NULL,
  -- By the clock of the provider.
  paid_at timestamptz,
  -- When the payment failed or expired, and why it failed.
  ended_at timestamptz,
  failure text,
  -- When the provider is asked next. Null if it need not be asked again.
  next_check_at timestamptz,
  -- A process asks the provider until this time. After it other processes may.
  claimed_until timestamptz,
  UNIQUE (provider, provider_reference),
  CHECK ((checkout_type IS NULL) = (checkout_url IS NULL)),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL AND provider_reference IS NOT NULL)),
  CHECK (status NOT IN ('failed', 'expired') OR ended_at IS NOT NULL)
);
CREATE INDEX payments_list ON billing.payments (account_id, created_at DESC, id DESC);
CREATE INDEX payments_pending ON billing.payments (account_id) WHERE status = 'pending';
CREATE INDEX payments_due ON billing.payments (next_check_at) WHERE next_check_at IS NOT NULL;

-- A payment is refunded at most once, in whole or in part. Failed refunds do not count.
CREATE TABLE billing.refunds (
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_]{6,32}$'),
  payment_id text NOT NULL REFERENCES billing.payments,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  reason text,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
  -- The provider's id of the refund.
  provider_reference text,
  failure text,
  -- The admin who requested the refund.
  ordered_by text NOT NULL REFERENCES accounts.accounts,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  next_check_at timestamptz,
  claimed_until timestamptz,
  CHECK ((status = 'pending') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX refunds_once ON billing.refunds (payment_id) WHERE status <> 'failed';
CREATE INDEX refunds_due ON billing.refunds (next_check_at) WHERE next_check_at IS NOT NULL;

-- The requests that had an idempotency key, with the first response, which repetitions get unchanged.
CREATE TABLE billing.idempotency_keys (
  account_id text NOT NULL REFERENCES accounts.accounts,
  operation text NOT NULL,
  key text NOT NULL,
  -- SHA-256 of the request. A different request with the same key is refused.
  fingerprint bytea NOT NULL,
  -- The id of the resource that is created, if an outside system is called before the response.
  resource_id text,
  -- Null until there is a response.
  answer text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, operation, key)
);
CREATE INDEX idempotency_keys_age ON billing.idempotency_keys (created_at);

-- Whether a notice is sent when the balance falls below the threshold. True again once the balance has reached it.
ALTER TABLE wallet.wallets ADD COLUMN low_balance_notice_due boolean NOT NULL DEFAULT false;

-- The account, amount and provider of a payment cannot be changed.
GRANT SELECT, INSERT ON billing.payments, billing.refunds TO console;
GRANT UPDATE (status, provider_order_id, checkout_type, checkout_url, provider_reference, payer_name, payer_email,
  paid_at, ended_at, failure, next_check_at, claimed_until) ON billing.payments TO console;
GRANT UPDATE (status, provider_reference, failure, ended_at, next_check_at, claimed_until) ON billing.refunds TO console;
GRANT SELECT, INSERT, UPDATE, DELETE ON billing.idempotency_keys TO console;
GRANT UPDATE (low_balance_notice_due) ON wallet.wallets TO console;
`;

const DOWN = `
-- Loses all payments and refunds. The ledger keeps their transfers.
DROP SCHEMA billing CASCADE;
ALTER TABLE wallet.wallets DROP COLUMN low_balance_notice_due;
`;

export class Payments0000000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

CREATE SCHEMA billing;
GRANT USAGE ON SCHEMA billing TO console;

-- A top-up through a payment provider. Amounts are in hundredths of the currency (cents, fen).
CREATE TABLE billing.payments (
  -- Also sent to the provider as our order number, which may have at most 32 characters of [A-Za-z0-9_].
  id text,
  account_id text NOT NULL,
  provider text NOT NULL,
  amount_minor bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  -- The page to which the provider sends the payer afterwards. A visit of it does not prove a payment.
  return_url text,
  -- The provider's id of the order, if the provider assigns one.
  provider_order_id text,
  -- How to pay. Null until the provider has accepted the order.
  checkout_type text,
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
  due_at timestamptz GENERATED ALWAYS AS (CASE WHEN next_check_at IS NOT NULL THEN greatest(next_check_at, claimed_until) END) STORED,
  -- When somebody has closed the notice about money that came late.
  seen_at timestamptz,
  CONSTRAINT payments_pkey PRIMARY KEY (id),
  CONSTRAINT payments_provider_order_id_key UNIQUE (provider_order_id),
  CONSTRAINT payments_provider_provider_reference_key UNIQUE (provider, provider_reference),
  CONSTRAINT payments_id_check CHECK (id ~ '^[A-Za-z0-9_]{6,32}$'),
  CONSTRAINT payments_provider_check CHECK (provider IN ('card_provider', 'messaging_pay_provider', 'wallet_pay_provider')),
  CONSTRAINT payments_amount_minor_check CHECK (amount_minor > 0),
  CONSTRAINT payments_currency_check CHECK (currency IN ('USD', 'CNY')),
  CONSTRAINT payments_status_check CHECK (status IN ('pending', 'paid', 'failed', 'expired')),
  CONSTRAINT payments_checkout_type_check CHECK (checkout_type IN ('redirect', 'qr')),
  CONSTRAINT payments_check CHECK ((checkout_type IS NULL) = (checkout_url IS NULL)),
  CONSTRAINT payments_check1 CHECK ((status = 'paid') = ((paid_at IS NOT NULL) AND (provider_reference IS NOT NULL))),
  CONSTRAINT payments_check2 CHECK (status NOT IN ('failed', 'expired') OR (ended_at IS NOT NULL)),
  CONSTRAINT payments_paid_after_creation CHECK (paid_at >= created_at),
  CONSTRAINT payments_account_id_fkey FOREIGN KEY (account_id) REFERENCES wallet.wallets (account_id)
);
CREATE INDEX payments_list ON billing.payments (account_id, created_at DESC, id DESC);
CREATE INDEX payments_pending ON billing.payments (account_id) WHERE status = 'pending';
CREATE INDEX payments_due ON billing.payments (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payments_time ON billing.payments (created_at DESC, id DESC);
GRANT SELECT, INSERT ON billing.payments TO console;
GRANT UPDATE (status, provider_order_id, checkout_type, checkout_url, provider_reference, payer_name, payer_email, paid_at, ended_at, failure, next_check_at, claimed_until, seen_at) ON billing.payments TO console;

-- A payment is refunded at most once, in whole or in part. Failed refunds do not count.
CREATE TABLE billing.refunds (
  id text,
  payment_id text NOT NULL,
  amount_minor bigint NOT NULL,
  reason text,
  status text NOT NULL DEFAULT 'pending',
  -- The provider's id of the refund.
  provider_reference text,
  failure text,
  -- The admin who requested the refund.
  ordered_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  next_check_at timestamptz,
  claimed_until timestamptz,
  due_at timestamptz GENERATED ALWAYS AS (CASE WHEN next_check_at IS NOT NULL THEN greatest(next_check_at, claimed_until) END) STORED,
  CONSTRAINT refunds_pkey PRIMARY KEY (id),
  CONSTRAINT refunds_id_check CHECK (id ~ '^[A-Za-z0-9_]{6,32}$'),
  CONSTRAINT refunds_amount_minor_check CHECK (amount_minor > 0),
  CONSTRAINT refunds_status_check CHECK (status IN ('pending', 'succeeded', 'failed')),
  CONSTRAINT refunds_check CHECK ((status = 'pending') = (ended_at IS NULL)),
  CONSTRAINT refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES billing.payments (id),
  CONSTRAINT refunds_ordered_by_fkey FOREIGN KEY (ordered_by) REFERENCES accounts.accounts (id)
);
CREATE UNIQUE INDEX refunds_once ON billing.refunds (payment_id) WHERE status <> 'failed';
CREATE INDEX refunds_due ON billing.refunds (due_at) WHERE due_at IS NOT NULL;
-- A payment is shown with all its refunds, failed ones too. refunds_once covers only the others.
CREATE INDEX refunds_payment ON billing.refunds (payment_id, created_at);
CREATE INDEX refunds_time ON billing.refunds (created_at DESC, id DESC);
GRANT SELECT, INSERT ON billing.refunds TO console;
GRANT UPDATE (status, provider_reference, failure, ended_at, next_check_at, claimed_until) ON billing.refunds TO console;

-- The requests that had an idempotency key, with the first response, which repetitions get unchanged.
CREATE TABLE billing.idempotency_keys (
  account_id text,
  operation text,
  key text,
  -- SHA-256 of the request. A different request with the same key is refused.
  fingerprint bytea NOT NULL,
  -- The id of the resource that is created, if an outside system is called before the response.
  resource_id text,
  -- Null until there is a response.
  answer text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, operation, key),
  CONSTRAINT idempotency_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX idempotency_keys_age ON billing.idempotency_keys (created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON billing.idempotency_keys TO console;

-- The last number given out for each kind of document. A transaction that takes a number locks the row until it ends, and a
-- rollback undoes the increment, so the numbers have no gaps.
CREATE TABLE billing.document_counters (
  kind text,
  -- In the site's time zone.
  year integer NOT NULL DEFAULT 0,
  last bigint NOT NULL DEFAULT 0,
  -- Issue time of the last document. A higher number never has an earlier time, even if the clock is set back.
  issued_at timestamptz NOT NULL DEFAULT '-infinity',
  CONSTRAINT document_counters_pkey PRIMARY KEY (kind),
  CONSTRAINT document_counters_kind_check CHECK (kind IN ('receipt', 'invoice'))
);
INSERT INTO billing.document_counters (kind) VALUES ('receipt'), ('invoice');
GRANT SELECT ON billing.document_counters TO console;
GRANT UPDATE (year, last, issued_at) ON billing.document_counters TO console;

-- Receipts and invoices as they were issued. The console has no privilege to change them.
CREATE TABLE billing.documents (
  id text,
  kind text NOT NULL,
  number text NOT NULL,
  payment_id text NOT NULL,
  account_id text NOT NULL,
  snapshot jsonb NOT NULL,
  issued_at timestamptz NOT NULL,
  CONSTRAINT documents_pkey PRIMARY KEY (id),
  CONSTRAINT documents_number_key UNIQUE (number),
  CONSTRAINT documents_payment_id_key UNIQUE (payment_id),
  CONSTRAINT documents_kind_check CHECK (kind IN ('receipt', 'invoice')),
  CONSTRAINT documents_number_check CHECK (number ~ '^(R|INV)-\d{4}-\d{6,}$'),
  CONSTRAINT documents_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES billing.payments (id),
  CONSTRAINT documents_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX documents_list ON billing.documents (account_id, kind, issued_at DESC, id DESC);
GRANT SELECT, INSERT ON billing.documents TO console;

-- The tax authority's file of an invoice. It is served instead of the invoice that the platform generates.
CREATE TABLE billing.invoice_files (
  document_id text,
  content_type text NOT NULL,
  file_name text NOT NULL,
  bytes bytea NOT NULL,
  sha256 bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT invoice_files_pkey PRIMARY KEY (document_id),
  CONSTRAINT invoice_files_document_id_fkey FOREIGN KEY (document_id) REFERENCES billing.documents (id)
);
GRANT SELECT, INSERT ON billing.invoice_files TO console;

-- The invoices whose file is requested from the issuer.
CREATE TABLE billing.invoice_requests (
  document_id text,
  attempts integer NOT NULL DEFAULT 0,
  -- Null if the issuer need not be asked again: the file was received or refused.
  next_attempt_at timestamptz DEFAULT now(),
  -- A process asks the issuer until this time. After it other processes may.
  claimed_until timestamptz,
  refused_at timestamptz,
  last_error text,
  due_at timestamptz GENERATED ALWAYS AS (CASE WHEN next_attempt_at IS NOT NULL THEN greatest(next_attempt_at, claimed_until) END) STORED,
  CONSTRAINT invoice_requests_pkey PRIMARY KEY (document_id),
  CONSTRAINT invoice_requests_document_id_fkey FOREIGN KEY (document_id) REFERENCES billing.documents (id)
);
CREATE INDEX invoice_requests_due ON billing.invoice_requests (due_at) WHERE due_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON billing.invoice_requests TO console;

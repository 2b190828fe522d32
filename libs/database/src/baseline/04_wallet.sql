CREATE SCHEMA wallet;
GRANT USAGE ON SCHEMA wallet TO console, gateway, training;

-- balance = sum of the wallet's entries; leased = sum of its leases. Money is spent from a lease or from the part that is
-- not leased. The check makes an overdraft impossible even if a caller has an error.
CREATE TABLE wallet.wallets (
  account_id text,
  currency text NOT NULL,
  balance_picos numeric(38, 0) NOT NULL DEFAULT 0,
  leased_picos numeric(38, 0) NOT NULL DEFAULT 0,
  -- Whether a notice is sent when the balance falls below the threshold. True again once the balance has reached it.
  low_balance_notice_due boolean NOT NULL DEFAULT false,
  -- A deduction of the console waits until this time for money that the gateways return. Until then a draw gets only what
  -- requests need.
  deduction_waits_until timestamptz,
  -- Null: the threshold of the site. 0: no notice, because no balance falls below 0.
  low_balance_threshold_picos numeric(38, 0),
  CONSTRAINT wallets_pkey PRIMARY KEY (account_id),
  CONSTRAINT wallets_currency_check CHECK (currency IN ('USD', 'CNY')),
  CONSTRAINT wallet_covers_leases CHECK ((leased_picos >= 0) AND (balance_picos >= leased_picos)),
  CONSTRAINT wallets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
GRANT SELECT ON wallet.wallets TO gateway, training;
GRANT SELECT, INSERT ON wallet.wallets TO console;
GRANT UPDATE (balance_picos, low_balance_notice_due, low_balance_threshold_picos) ON wallet.wallets TO console;

-- The amount that an API key has spent, and the part of its spending limit that is set aside in leases.
CREATE TABLE wallet.key_budgets (
  api_key_id text,
  account_id text NOT NULL,
  limit_picos numeric(38, 0),
  spent_picos numeric(38, 0) NOT NULL DEFAULT 0,
  leased_picos numeric(38, 0) NOT NULL DEFAULT 0,
  -- A limit may be changed to less than the key has spent. A key whose limit never changed has not spent more.
  limit_changed_at timestamptz,
  CONSTRAINT key_budgets_pkey PRIMARY KEY (api_key_id),
  CONSTRAINT key_budgets_limit_picos_check CHECK (limit_picos >= 0),
  CONSTRAINT key_budgets_leased_picos_check CHECK (leased_picos >= 0),
  CONSTRAINT key_budgets_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES accounts.api_keys (id),
  CONSTRAINT key_budgets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
GRANT SELECT, INSERT ON wallet.key_budgets TO console;
GRANT UPDATE (limit_picos, limit_changed_at) ON wallet.key_budgets TO console;

CREATE TABLE wallet.leases (
  id text,
  account_id text NOT NULL,
  -- Set if the amount is also set aside from the spending limit of this key.
  api_key_id text,
  holder text NOT NULL,
  amount_picos numeric(38, 0) NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT leases_pkey PRIMARY KEY (id),
  CONSTRAINT leases_amount_picos_check CHECK (amount_picos >= 0),
  CONSTRAINT leases_account_id_fkey FOREIGN KEY (account_id) REFERENCES wallet.wallets (account_id),
  CONSTRAINT leases_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES wallet.key_budgets (api_key_id)
);
CREATE INDEX leases_account ON wallet.leases (account_id);
CREATE INDEX leases_expiry ON wallet.leases (expires_at);
GRANT SELECT ON wallet.leases TO console;

-- The ledger: append-only. The entries of each transfer sum to zero.
CREATE TABLE wallet.transfers (
  id text,
  kind text NOT NULL,
  account_id text NOT NULL,
  -- Identifies the reason of the transfer, so that the same reason cannot be booked twice.
  reference text NOT NULL,
  description text NOT NULL,
  -- Of usage only. Reconciliation compares the transfers with the rollup by model and hour.
  model text,
  hour timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT transfers_pkey PRIMARY KEY (id),
  CONSTRAINT transfers_reference_key UNIQUE (reference),
  CONSTRAINT transfers_kind_check CHECK (kind IN ('topup', 'usage', 'adjustment')),
  CONSTRAINT transfers_check CHECK ((kind = 'usage') = ((model IS NOT NULL) AND (hour IS NOT NULL))),
  CONSTRAINT transfers_account_id_fkey FOREIGN KEY (account_id) REFERENCES wallet.wallets (account_id)
);
CREATE INDEX transfers_statement ON wallet.transfers (account_id, created_at DESC, id DESC) WHERE kind <> 'usage';
CREATE INDEX transfers_usage ON wallet.transfers (account_id, hour) WHERE kind = 'usage';
GRANT SELECT, INSERT ON wallet.transfers TO console;

CREATE TABLE wallet.entries (
  transfer_id text,
  -- wallet:<account id>, revenue:usage, equity:adjustments, or provider:<payment provider>.
  ledger_account text,
  amount_picos numeric(38, 0) NOT NULL,
  CONSTRAINT entries_pkey PRIMARY KEY (transfer_id, ledger_account),
  CONSTRAINT entries_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES wallet.transfers (id)
);
CREATE INDEX entries_account ON wallet.entries (ledger_account);
GRANT SELECT, INSERT ON wallet.entries TO console;

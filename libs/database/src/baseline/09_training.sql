CREATE SCHEMA training;
GRANT USAGE ON SCHEMA training TO training;

-- How many tokens an account may use for training, and has used. Without a total the default of the service applies.
CREATE TABLE training.quotas (
  account_id text,
  total_tokens bigint,
  used_tokens bigint NOT NULL DEFAULT 0,
  CONSTRAINT quotas_pkey PRIMARY KEY (account_id),
  CONSTRAINT quotas_total_tokens_check CHECK (total_tokens >= 0),
  CONSTRAINT quotas_used_tokens_check CHECK (used_tokens >= 0),
  CONSTRAINT quotas_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
GRANT SELECT ON training.quotas TO training;
GRANT INSERT (account_id, total_tokens), UPDATE (total_tokens) ON training.quotas TO training;

-- Changes of totals: who, when, old and new total. Append-only.
CREATE TABLE training.quota_changes (
  id bigint GENERATED ALWAYS AS IDENTITY,
  account_id text NOT NULL,
  changed_by text NOT NULL,
  from_tokens bigint NOT NULL,
  to_tokens bigint NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT quota_changes_pkey PRIMARY KEY (id),
  CONSTRAINT quota_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id),
  CONSTRAINT quota_changes_changed_by_fkey FOREIGN KEY (changed_by) REFERENCES accounts.accounts (id)
);
CREATE INDEX quota_changes_account ON training.quota_changes (account_id, id DESC);
GRANT SELECT, INSERT ON training.quota_changes TO training;

-- Usage that trainers have reported under ids of their own, and the usage event of its settlement. Append-only.
CREATE TABLE training.usage_records (
  id text,
  account_id text NOT NULL,
  -- The model that was trained. The usage event has the slug of the price instead.
  model text NOT NULL,
  tokens bigint NOT NULL,
  event_id text NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  recorded_at timestamptz NOT NULL,
  CONSTRAINT usage_records_pkey PRIMARY KEY (id),
  CONSTRAINT usage_records_event_id_key UNIQUE (event_id),
  CONSTRAINT usage_records_tokens_check CHECK (tokens > 0),
  CONSTRAINT usage_records_cost_picos_check CHECK (cost_picos >= 0),
  CONSTRAINT usage_records_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts (id)
);
CREATE INDEX usage_records_account ON training.usage_records (account_id);

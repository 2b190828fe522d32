-- Up Migration
-- Where the numbers of each kind have got to. Whoever takes one holds the row until its transaction ends, and one that
-- is rolled back gives its number back: there are no gaps.
CREATE TABLE billing.document_counters (
  kind text PRIMARY KEY CHECK (kind IN ('receipt', 'invoice')),
  -- In the site's time zone.
  year integer NOT NULL DEFAULT 0,
  last bigint NOT NULL DEFAULT 0,
  -- Of the last one; no later number has an earlier time, whatever the clock does.
  issued_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO billing.document_counters (kind) VALUES ('receipt'), ('invoice');

-- What was handed to a customer about a payment, as it was said then. Never changed: the console may not.
CREATE TABLE billing.documents (
  id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('receipt', 'invoice')),
  number text NOT NULL UNIQUE CHECK (number ~ '^(R|INV)-\d{4}-\d{6,}$'),
  payment_id text NOT NULL UNIQUE REFERENCES billing.payments,
  account_id text NOT NULL REFERENCES accounts.accounts,
  snapshot jsonb NOT NULL,
  issued_at timestamptz NOT NULL
);
CREATE INDEX documents_list ON billing.documents (account_id, kind, issued_at DESC, id DESC);

-- The tax authority's own file of an invoice, given out in place of ours.
CREATE TABLE billing.invoice_files (
  document_id text PRIMARY KEY REFERENCES billing.documents,
  content_type text NOT NULL,
  file_name text NOT NULL,
  bytes bytea NOT NULL,
  sha256 bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The invoices that an issuer is asked for such a file of.
CREATE TABLE billing.invoice_requests (
  document_id text PRIMARY KEY REFERENCES billing.documents,
  attempts integer NOT NULL DEFAULT 0,
  -- Null when it is asked no more: the file is there, or was refused.
  next_attempt_at timestamptz DEFAULT now(),
  -- While one host is asking.
  claimed_until timestamptz,
  refused_at timestamptz,
  last_error text
);
CREATE INDEX invoice_requests_due ON billing.invoice_requests (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

CREATE FUNCTION billing.notify_invoice_requests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('invoice_requests', '');
  RETURN NULL;
END $$;
CREATE TRIGGER invoice_requested AFTER INSERT ON billing.invoice_requests
  FOR EACH STATEMENT EXECUTE FUNCTION billing.notify_invoice_requests();

GRANT SELECT, UPDATE (year, last, issued_at) ON billing.document_counters TO console;
GRANT SELECT, INSERT ON billing.documents, billing.invoice_files TO console;
GRANT SELECT, INSERT, UPDATE ON billing.invoice_requests TO console;

import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
-- The last number given out for each kind of document. A transaction that takes a number locks the row until it ends, and a
-- rollback undoes the increment, so the numbers have no gaps.
CREATE TABLE billing.document_counters (
  kind text PRIMARY KEY CHECK (kind IN ('receipt', 'invoice')),
  -- In the site's time zone.
  year integer NOT NULL DEFAULT 0,
  last bigint NOT NULL DEFAULT 0,
  -- Issue time of the last document. A higher number never has an earlier time, even if the clock is set back.
  issued_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO billing.document_counters (kind) VALUES ('receipt'), ('invoice');

-- Receipts and invoices as they were issued. The console has no privilege to change them.
CREATE TABLE billing.documents (
  id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('receipt', 'invoice')),
  number text NOT NULL UNIQUE CHECK (number ~ '^(R|INV)-\\d{4}-\\d{6,}$'),
  payment_id text NOT NULL UNIQUE REFERENCES billing.payments,
  account_id text NOT NULL REFERENCES accounts.accounts,
  snapshot jsonb NOT NULL,
  issued_at timestamptz NOT NULL
);
CREATE INDEX documents_list ON billing.documents (account_id, kind, issued_at DESC, id DESC);

-- The tax authority's file of an invoice. It is served instead of the invoice that the platform generates.
CREATE TABLE billing.invoice_files (
  document_id text PRIMARY KEY REFERENCES billing.documents,
  content_type text NOT NULL,
  file_name text NOT NULL,
  bytes bytea NOT NULL,
  sha256 bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The invoices whose file is requested from the issuer.
CREATE TABLE billing.invoice_requests (
  document_id text PRIMARY KEY REFERENCES billing.documents,
  attempts integer NOT NULL DEFAULT 0,
  -- Null if the issuer need not be asked again: the file was received or refused.
  next_attempt_at timestamptz DEFAULT now(),
  -- A process asks the issuer until this time. After it other processes may.
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
`;

const DOWN = `
-- Loses all receipts and invoices, and their numbers.
DROP TABLE billing.invoice_requests, billing.invoice_files, billing.documents, billing.document_counters;
DROP FUNCTION billing.notify_invoice_requests;
`;

export class Documents0000000000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

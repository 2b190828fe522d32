-- Up Migration
-- The provider's clock may be behind, and its times have whole seconds.
UPDATE billing.payments SET paid_at = created_at WHERE paid_at < created_at;
ALTER TABLE billing.payments ADD CONSTRAINT payments_paid_after_creation CHECK (paid_at >= created_at);

-- A payment is shown with all its refunds, failed ones too. refunds_once covers only the others.
CREATE INDEX refunds_payment ON billing.refunds (payment_id, created_at);

-- A debit of the console takes back expired leases that no gateway has reclaimed yet.
GRANT EXECUTE ON FUNCTION wallet.reclaim_expired_leases TO console;

-- Down Migration
REVOKE EXECUTE ON FUNCTION wallet.reclaim_expired_leases FROM console;
DROP INDEX billing.refunds_payment;
ALTER TABLE billing.payments DROP CONSTRAINT payments_paid_after_creation;

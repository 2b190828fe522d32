-- After a successful attempt: deletes the failures of p_forgiven, and takes one attempt off p_refunded. The attempt is the
-- one counted at p_counted_at; a delay that only this attempt caused ends. Locks one row after another in the order of the
-- subjects: a single statement would lock a row that was inserted meanwhile out of that order.
CREATE OR REPLACE FUNCTION accounts.record_login_success(
  p_forgiven text,
  p_refunded text,
  p_counted_at timestamptz
)
RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
  next_subject text;
BEGIN
  FOR next_subject IN SELECT s FROM unnest(ARRAY[p_forgiven, p_refunded]) s WHERE s IS NOT NULL ORDER BY s LOOP
    IF next_subject = p_forgiven THEN
      DELETE FROM accounts.login_attempts WHERE subject = next_subject;
    ELSE
      UPDATE accounts.login_attempts
      SET failures = greatest(0, failures - 1),
          retry_at = CASE WHEN counted_at <> p_counted_at THEN retry_at END
      WHERE subject = next_subject;
    END IF;
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION accounts.record_login_success FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accounts.record_login_success TO console;

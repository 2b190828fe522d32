-- Counts an attempt against each of several subjects before the secret is checked, or against none of them if one has to
-- wait. Null subjects are ignored. One failure is forgiven every p_forgive_seconds. After p_allowances failures the next
-- attempt has to wait 1 second, then 2, 4 and so on up to 1,800.
-- wait_seconds: 0, or the rest of the longest wait, whose subject has the allowance exceeded.
-- counted_at: identifies the attempt for record_login_success.
-- Locks rows in the order of their subjects, so that concurrent calls do not deadlock. Do not call it in a transaction
-- that holds other row locks.
CREATE OR REPLACE FUNCTION accounts.count_login_attempt(
  p_subjects text[],
  p_allowances integer[],
  p_forgive_seconds double precision[],
  OUT wait_seconds integer,
  OUT exceeded integer,
  OUT counted_at timestamptz
)
RETURNS record LANGUAGE plpgsql
AS $$
BEGIN
  -- The first pass takes no locks, so that refusing an attempt is cheap.
  FOR is_locked IN 0..1 LOOP
    IF is_locked = 1 THEN
      INSERT INTO accounts.login_attempts (subject, failures, counted_at, expires_at)
      SELECT s, 0, clock_timestamp(), clock_timestamp() FROM unnest(p_subjects) s WHERE s IS NOT NULL ORDER BY s
      ON CONFLICT (subject) DO UPDATE SET failures = 0 WHERE false;
    END IF;
    counted_at := clock_timestamp();
    SELECT ceil(extract(epoch FROM a.retry_at - count_login_attempt.counted_at)), s.allowance INTO wait_seconds, exceeded
    FROM unnest(p_subjects, p_allowances) AS s(subject, allowance)
    JOIN accounts.login_attempts a ON a.subject = s.subject
    WHERE a.retry_at > count_login_attempt.counted_at ORDER BY a.retry_at DESC LIMIT 1;
    IF FOUND THEN
      RETURN;
    END IF;
  END LOOP;
  wait_seconds := 0;

  UPDATE accounts.login_attempts a
  SET failures = c.failures,
      counted_at = count_login_attempt.counted_at,
      retry_at = count_login_attempt.counted_at + c.delay,
      expires_at = count_login_attempt.counted_at
        + greatest(c.delay, make_interval(secs => c.failures * c.forgive_seconds))
  FROM (
    SELECT n.*, CASE WHEN ceil(n.failures) >= n.allowance
      THEN make_interval(secs => least(1800, 2 ^ least(ceil(n.failures) - n.allowance, 11))) END AS delay
    FROM (
      SELECT s.*, 1 + greatest(0, old.failures
        -- After a failover the clock may be behind counted_at.
        - greatest(0, extract(epoch FROM count_login_attempt.counted_at - old.counted_at)) / s.forgive_seconds) AS failures
      FROM unnest(p_subjects, p_allowances, p_forgive_seconds) AS s(subject, allowance, forgive_seconds)
      JOIN accounts.login_attempts old ON old.subject = s.subject
    ) n
  ) c
  WHERE a.subject = c.subject;
END $$;
REVOKE EXECUTE ON FUNCTION accounts.count_login_attempt FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accounts.count_login_attempt TO console;

import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- The network of an address: an IPv4 address itself, or the /64 prefix of an IPv6 address, because one subscriber usually
-- has a whole /64. Text that is not an address is returned as it is, cut to 45 characters, the longest address.
CREATE FUNCTION accounts.place_of(p_address text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT CASE
    WHEN p_address NOT LIKE '%:%' OR NOT pg_input_is_valid(split_part(p_address, '%', 1), 'inet')
      THEN left(p_address, 45)
    -- An IPv4 address as a socket for both kinds shows it.
    WHEN split_part(p_address, '%', 1)::inet <<= '::ffff:0:0/96'
      THEN substring(host(split_part(p_address, '%', 1)::inet) FROM 8)
    ELSE network(set_masklen(split_part(p_address, '%', 1)::inet, 64))::text
  END;
$$;

-- The networks from which an account has signed in.
CREATE INDEX security_events_places ON accounts.security_events (account_id, accounts.place_of(address), created_at)
  WHERE type IN ('session.opened', 'password.reset');

-- Failed attempts at a secret, one row for each subject that they are counted for.
CREATE TABLE accounts.guesses (
  subject text PRIMARY KEY,
  -- The number at counted_at. It falls with time after that.
  failures double precision NOT NULL CHECK (failures >= 0),
  counted_at timestamptz NOT NULL,
  -- No attempt is admitted before this time. Null if the next attempt need not wait.
  retry_at timestamptz,
  -- From this time on the row has no effect and can be deleted.
  forgotten_at timestamptz NOT NULL
);
CREATE INDEX guesses_forgotten ON accounts.guesses (forgotten_at);

-- Counts an attempt for each of several subjects before the secret is checked, or for none of them if one has to wait.
-- Null subjects are ignored. One failure is forgiven every p_forgive_seconds. After p_allowances failures the next attempt
-- has to wait 1 second, then 2, 4 and so on up to 1,800.
-- wait_seconds: 0, or the rest of the longest wait, whose subject has the allowance exceeded.
-- counted_at: identifies the attempt for take_back_guess.
-- Locks rows in the order of the subjects, so that concurrent calls do not deadlock. Do not call it in a transaction that
-- holds other row locks.
CREATE FUNCTION accounts.count_guess(
  p_subjects text[], p_allowances integer[], p_forgive_seconds double precision[],
  OUT wait_seconds integer, OUT exceeded integer, OUT counted_at timestamptz
) LANGUAGE plpgsql AS $$
BEGIN
  -- At first without a lock: refusing must not cost what guessing costs.
  FOR is_locked IN 0..1 LOOP
    IF is_locked = 1 THEN
      INSERT INTO accounts.guesses (subject, failures, counted_at, forgotten_at)
      SELECT s, 0, clock_timestamp(), clock_timestamp() FROM unnest(p_subjects) s WHERE s IS NOT NULL ORDER BY s
      ON CONFLICT (subject) DO UPDATE SET failures = 0 WHERE false;
    END IF;
    counted_at := clock_timestamp();
    SELECT ceil(extract(epoch FROM g.retry_at - count_guess.counted_at)), s.allowance INTO wait_seconds, exceeded
    FROM unnest(p_subjects, p_allowances) AS s(subject, allowance)
    JOIN accounts.guesses g ON g.subject = s.subject
    WHERE g.retry_at > count_guess.counted_at ORDER BY g.retry_at DESC LIMIT 1;
    IF FOUND THEN
      RETURN;
    END IF;
  END LOOP;
  wait_seconds := 0;

  UPDATE accounts.guesses g
  SET failures = c.failures,
      counted_at = count_guess.counted_at,
      retry_at = count_guess.counted_at + c.delay,
      forgotten_at = count_guess.counted_at
        + greatest(c.delay, make_interval(secs => c.failures * c.forgive_seconds))
  FROM (
    SELECT n.*, CASE WHEN ceil(n.failures) >= n.allowance
      THEN make_interval(secs => least(1800, 2 ^ least(ceil(n.failures) - n.allowance, 11))) END AS delay
    FROM (
      SELECT s.*, 1 + greatest(0, old.failures
        -- The clock of a server that took over may be behind.
        - greatest(0, extract(epoch FROM count_guess.counted_at - old.counted_at)) / s.forgive_seconds) AS failures
      FROM unnest(p_subjects, p_allowances, p_forgive_seconds) AS s(subject, allowance, forgive_seconds)
      JOIN accounts.guesses old ON old.subject = s.subject
    ) n
  ) c
  WHERE g.subject = c.subject;
END $$;

-- After a successful attempt: deletes the count of p_forgiven, and takes one attempt off the count of p_refunded. The
-- attempt is the one counted at p_counted_at; a delay that only this attempt caused ends. Locks one row after another in
-- the order of the subjects: a single statement would lock a row that was inserted meanwhile out of that order.
CREATE FUNCTION accounts.take_back_guess(p_forgiven text, p_refunded text, p_counted_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  next_subject text;
BEGIN
  FOR next_subject IN SELECT s FROM unnest(ARRAY[p_forgiven, p_refunded]) s WHERE s IS NOT NULL ORDER BY s LOOP
    IF next_subject = p_forgiven THEN
      DELETE FROM accounts.guesses WHERE subject = next_subject;
    ELSE
      UPDATE accounts.guesses
      SET failures = greatest(0, failures - 1),
          retry_at = CASE WHEN counted_at <> p_counted_at THEN retry_at END
      WHERE subject = next_subject;
    END IF;
  END LOOP;
END $$;

-- Deletes at most p_limit expired rows and returns their number. Processes may call it concurrently.
CREATE FUNCTION accounts.forget_guesses(p_limit integer) RETURNS bigint LANGUAGE sql AS $$
  WITH forgotten AS (
    DELETE FROM accounts.guesses WHERE subject IN (
      SELECT subject FROM accounts.guesses WHERE forgotten_at < clock_timestamp()
      ORDER BY forgotten_at LIMIT p_limit FOR UPDATE SKIP LOCKED)
    RETURNING 1
  )
  SELECT count(*) FROM forgotten;
$$;

REVOKE EXECUTE ON FUNCTION accounts.place_of, accounts.count_guess, accounts.take_back_guess, accounts.forget_guesses
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accounts.place_of, accounts.count_guess, accounts.take_back_guess, accounts.forget_guesses
  TO console;
GRANT SELECT, INSERT, UPDATE, DELETE ON accounts.guesses TO console;
`;

const DOWN = `
-- Loses the failed attempts that are counted.
DROP FUNCTION accounts.forget_guesses, accounts.take_back_guess, accounts.count_guess;
DROP TABLE accounts.guesses;
DROP INDEX accounts.security_events_places;
DROP FUNCTION accounts.place_of;
`;

export class Guesses0000000000007 implements Migration {
  readonly acceptedLock = 'It was released before this check. It builds an index of the audit log.';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

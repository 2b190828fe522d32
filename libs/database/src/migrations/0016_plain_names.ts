import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- Renames objects to the standard terms of the field. Old replicas do not know the new names: stop the console, gateway,
-- agent and memo services before this migration.

-- Login throttle: one row for each subject that attempts count against, with the number of its failed attempts.
ALTER TABLE accounts.guesses RENAME TO login_attempts;
ALTER TABLE accounts.login_attempts RENAME forgotten_at TO expires_at;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT guesses_pkey TO login_attempts_pkey;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT guesses_failures_check TO login_attempts_failures_check;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT guesses_subject_not_null TO login_attempts_subject_not_null;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT guesses_failures_not_null TO login_attempts_failures_not_null;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT guesses_counted_at_not_null TO login_attempts_counted_at_not_null;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT guesses_forgotten_at_not_null TO login_attempts_expires_at_not_null;
ALTER INDEX accounts.guesses_forgotten RENAME TO login_attempts_expiry;
ALTER INDEX accounts.security_events_places RENAME TO security_events_networks;
ALTER FUNCTION accounts.place_of RENAME TO address_network;
ALTER FUNCTION accounts.count_guess RENAME TO count_login_attempt;
ALTER FUNCTION accounts.take_back_guess RENAME TO record_login_success;
ALTER FUNCTION accounts.forget_guesses RENAME TO delete_expired_login_attempts;

-- Attempts from networks that are not known to the account share one subject.
UPDATE accounts.login_attempts SET subject = regexp_replace(subject, ' strangers$', ' unknown_networks')
WHERE subject LIKE '% strangers';

-- The functions below do what they did before. Their bodies only use the new names.

-- Counts an attempt against each of several subjects before the secret is checked, or against none of them if one has to
-- wait. Null subjects are ignored. One failure is forgiven every p_forgive_seconds. After p_allowances failures the next
-- attempt has to wait 1 second, then 2, 4 and so on up to 1,800.
-- wait_seconds: 0, or the rest of the longest wait, whose subject has the allowance exceeded.
-- counted_at: identifies the attempt for record_login_success.
-- Locks rows in the order of their subjects, so that concurrent calls do not deadlock. Do not call it in a transaction
-- that holds other row locks.
CREATE OR REPLACE FUNCTION accounts.count_login_attempt(
  p_subjects text[], p_allowances integer[], p_forgive_seconds double precision[],
  OUT wait_seconds integer, OUT exceeded integer, OUT counted_at timestamptz
) LANGUAGE plpgsql AS $$
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

-- After a successful attempt: deletes the failures of p_forgiven, and takes one attempt off p_refunded. The attempt is the
-- one counted at p_counted_at; a delay that only this attempt caused ends. Locks one row after another in the order of the
-- subjects: a single statement would lock a row that was inserted meanwhile out of that order.
CREATE OR REPLACE FUNCTION accounts.record_login_success(p_forgiven text, p_refunded text, p_counted_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
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

-- Deletes at most p_limit expired rows and returns their number. Replicas may call it concurrently.
CREATE OR REPLACE FUNCTION accounts.delete_expired_login_attempts(p_limit integer) RETURNS bigint LANGUAGE sql AS $$
  WITH deleted AS (
    DELETE FROM accounts.login_attempts WHERE subject IN (
      SELECT subject FROM accounts.login_attempts WHERE expires_at < clock_timestamp()
      ORDER BY expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED)
    RETURNING 1
  )
  SELECT count(*) FROM deleted;
$$;

ALTER TABLE accounts.login_challenges RENAME tries_left TO attempts_left;
ALTER TABLE accounts.login_challenges RENAME CONSTRAINT login_challenges_tries_left_check TO login_challenges_attempts_left_check;
ALTER TABLE accounts.login_challenges RENAME CONSTRAINT login_challenges_tries_left_not_null TO login_challenges_attempts_left_not_null;

-- Wallet and metering: clean-up functions.
ALTER FUNCTION wallet.sweep_leases RENAME TO reclaim_expired_leases;
ALTER FUNCTION metering.forget_old_settlements RENAME TO delete_old_settlements;

-- Catalogue: triggers.
ALTER FUNCTION catalogue.note_change RENAME TO record_change;
ALTER FUNCTION catalogue.keep_package RENAME TO prevent_package_change;
ALTER TRIGGER package_kept ON catalogue.packages RENAME TO package_immutable;

-- Agent: the stored events of a turn's stream. A position is the number n of such an event; 0 is before the first one.
ALTER TABLE agent.frames RENAME TO stream_events;
ALTER TABLE agent.stream_events RENAME CONSTRAINT frames_pkey TO stream_events_pkey;
ALTER TABLE agent.stream_events RENAME CONSTRAINT frames_turn_id_not_null TO stream_events_turn_id_not_null;
ALTER TABLE agent.stream_events RENAME CONSTRAINT frames_n_not_null TO stream_events_n_not_null;
ALTER TABLE agent.stream_events RENAME CONSTRAINT frames_kind_not_null TO stream_events_kind_not_null;
ALTER TABLE agent.stream_events RENAME CONSTRAINT frames_data_not_null TO stream_events_data_not_null;
ALTER TABLE agent.turns RENAME call_frame TO call_position;
ALTER TABLE agent.turns RENAME CONSTRAINT turns_call_frame_not_null TO turns_call_position_not_null;
ALTER TABLE agent.events RENAME after_frame TO after_position;
ALTER TABLE agent.events RENAME CONSTRAINT events_after_frame_not_null TO events_after_position_not_null;

-- Memo: the number and size of a workspace's documents.
ALTER TABLE memo.holdings RENAME TO workspace_usage;
ALTER TABLE memo.workspace_usage RENAME CONSTRAINT holdings_workspace_id_fkey TO workspace_usage_workspace_id_fkey;
ALTER TABLE memo.workspace_usage RENAME CONSTRAINT holdings_workspace_id_not_null TO workspace_usage_workspace_id_not_null;
ALTER TABLE memo.workspace_usage RENAME CONSTRAINT holdings_documents_not_null TO workspace_usage_documents_not_null;
ALTER TABLE memo.workspace_usage RENAME CONSTRAINT holdings_bytes_not_null TO workspace_usage_bytes_not_null;
ALTER INDEX memo.holdings_workspace RENAME TO workspace_usage_workspace;
ALTER INDEX memo.workspaces_maker RENAME TO workspaces_creator;
ALTER TABLE memo.document_versions RENAME beat_at TO heartbeat_at;
ALTER TABLE memo.document_versions RENAME CONSTRAINT document_versions_beat_at_not_null TO document_versions_heartbeat_at_not_null;
`;

const RENAMED_NOT_NULL = /^ALTER TABLE \S+ RENAME CONSTRAINT \w+_not_null TO .*$/gm;

const DOWN = `
-- Loses nothing.
ALTER TABLE memo.document_versions RENAME CONSTRAINT document_versions_heartbeat_at_not_null TO document_versions_beat_at_not_null;
ALTER TABLE memo.document_versions RENAME heartbeat_at TO beat_at;
ALTER INDEX memo.workspaces_creator RENAME TO workspaces_maker;
ALTER INDEX memo.workspace_usage_workspace RENAME TO holdings_workspace;
ALTER TABLE memo.workspace_usage RENAME CONSTRAINT workspace_usage_workspace_id_fkey TO holdings_workspace_id_fkey;
ALTER TABLE memo.workspace_usage RENAME CONSTRAINT workspace_usage_workspace_id_not_null TO holdings_workspace_id_not_null;
ALTER TABLE memo.workspace_usage RENAME CONSTRAINT workspace_usage_documents_not_null TO holdings_documents_not_null;
ALTER TABLE memo.workspace_usage RENAME CONSTRAINT workspace_usage_bytes_not_null TO holdings_bytes_not_null;
ALTER TABLE memo.workspace_usage RENAME TO holdings;

ALTER TABLE agent.events RENAME CONSTRAINT events_after_position_not_null TO events_after_frame_not_null;
ALTER TABLE agent.events RENAME after_position TO after_frame;
ALTER TABLE agent.turns RENAME CONSTRAINT turns_call_position_not_null TO turns_call_frame_not_null;
ALTER TABLE agent.turns RENAME call_position TO call_frame;
ALTER TABLE agent.stream_events RENAME CONSTRAINT stream_events_pkey TO frames_pkey;
ALTER TABLE agent.stream_events RENAME CONSTRAINT stream_events_turn_id_not_null TO frames_turn_id_not_null;
ALTER TABLE agent.stream_events RENAME CONSTRAINT stream_events_n_not_null TO frames_n_not_null;
ALTER TABLE agent.stream_events RENAME CONSTRAINT stream_events_kind_not_null TO frames_kind_not_null;
ALTER TABLE agent.stream_events RENAME CONSTRAINT stream_events_data_not_null TO frames_data_not_null;
ALTER TABLE agent.stream_events RENAME TO frames;

ALTER TRIGGER package_immutable ON catalogue.packages RENAME TO package_kept;
ALTER FUNCTION catalogue.prevent_package_change RENAME TO keep_package;
ALTER FUNCTION catalogue.record_change RENAME TO note_change;

ALTER FUNCTION metering.delete_old_settlements RENAME TO forget_old_settlements;
ALTER FUNCTION wallet.reclaim_expired_leases RENAME TO sweep_leases;

ALTER TABLE accounts.login_challenges RENAME CONSTRAINT login_challenges_attempts_left_check TO login_challenges_tries_left_check;
ALTER TABLE accounts.login_challenges RENAME CONSTRAINT login_challenges_attempts_left_not_null TO login_challenges_tries_left_not_null;
ALTER TABLE accounts.login_challenges RENAME attempts_left TO tries_left;

UPDATE accounts.login_attempts SET subject = regexp_replace(subject, ' unknown_networks$', ' strangers')
WHERE subject LIKE '% unknown\\_networks';

ALTER FUNCTION accounts.delete_expired_login_attempts RENAME TO forget_guesses;
ALTER FUNCTION accounts.record_login_success RENAME TO take_back_guess;
ALTER FUNCTION accounts.count_login_attempt RENAME TO count_guess;
ALTER FUNCTION accounts.address_network RENAME TO place_of;
ALTER INDEX accounts.security_events_networks RENAME TO security_events_places;
ALTER INDEX accounts.login_attempts_expiry RENAME TO guesses_forgotten;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT login_attempts_pkey TO guesses_pkey;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT login_attempts_failures_check TO guesses_failures_check;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT login_attempts_subject_not_null TO guesses_subject_not_null;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT login_attempts_failures_not_null TO guesses_failures_not_null;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT login_attempts_counted_at_not_null TO guesses_counted_at_not_null;
ALTER TABLE accounts.login_attempts RENAME CONSTRAINT login_attempts_expires_at_not_null TO guesses_forgotten_at_not_null;
ALTER TABLE accounts.login_attempts RENAME expires_at TO forgotten_at;
ALTER TABLE accounts.login_attempts RENAME TO guesses;

-- The bodies of 0007_guesses.
CREATE OR REPLACE FUNCTION accounts.count_guess(
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

CREATE OR REPLACE FUNCTION accounts.take_back_guess(p_forgiven text, p_refunded text, p_counted_at timestamptz) RETURNS void
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

CREATE OR REPLACE FUNCTION accounts.forget_guesses(p_limit integer) RETURNS bigint LANGUAGE sql AS $$
  WITH forgotten AS (
    DELETE FROM accounts.guesses WHERE subject IN (
      SELECT subject FROM accounts.guesses WHERE forgotten_at < clock_timestamp()
      ORDER BY forgotten_at LIMIT p_limit FOR UPDATE SKIP LOCKED)
    RETURNING 1
  )
  SELECT count(*) FROM forgotten;
$$;
`;

/** NOT NULL has a name from PostgreSQL 18 on. An upgrade to it gives those that this migration gives. */
async function withKnownNames(runner: QueryRunner, statements: string): Promise<string> {
  const [{ version }] = (await runner.query(
    `SELECT current_setting('server_version_num')::integer AS version`,
  )) as [{ version: number }];
  return version >= 180_000 ? statements : statements.replace(RENAMED_NOT_NULL, '');
}

export class PlainNames0000000000016 implements Migration {
  readonly acceptedLock =
    'It was released before this check, and the services that use the tables are stopped.';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(await withKnownNames(runner, UP));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(await withKnownNames(runner, DOWN));
  }
}

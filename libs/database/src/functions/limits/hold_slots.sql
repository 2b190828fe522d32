-- Sets how many calls of a subject a gateway process may run at a time for p_ttl from now: as many as it wants, or what the other processes
-- leave of the limit. Returns that number, and how many the others hold.
CREATE OR REPLACE FUNCTION limits.hold_slots(
  p_subject text,
  p_account text,
  p_holder text,
  p_limit integer,
  p_want integer,
  p_ttl double precision,
  OUT slots integer,
  OUT elsewhere integer
)
RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  at timestamptz;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO limits.subjects (id, account_id, day, drawn_at)
  VALUES (p_subject, p_account, '-infinity', clock_timestamp()) ON CONFLICT DO NOTHING;
  PERFORM FROM limits.subjects WHERE id = p_subject FOR UPDATE;
  at := clock_timestamp();
  DELETE FROM limits.slots l WHERE l.subject_id = p_subject AND (l.expires_at <= at OR l.holder = p_holder);
  SELECT coalesce(sum(l.slots), 0) INTO elsewhere FROM limits.slots l WHERE l.subject_id = p_subject;
  slots := greatest(0, least(p_want, p_limit - elsewhere));
  IF slots > 0 THEN
    INSERT INTO limits.slots (subject_id, holder, slots, expires_at)
    VALUES (p_subject, p_holder, slots, at + make_interval(secs => p_ttl));
  END IF;
  UPDATE limits.subjects SET drawn_at = at WHERE id = p_subject;
END $$;
REVOKE EXECUTE ON FUNCTION limits.hold_slots FROM PUBLIC;
GRANT EXECUTE ON FUNCTION limits.hold_slots TO gateway;

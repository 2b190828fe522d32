-- Draws a slice of a limit: requests and tokens that one gateway process may admit within p_life from now. A slice counts against the
-- limits until p_window after its end, so that no window of that length has more than the limits. Grants at least p_requests and p_tokens,
-- and up to p_want_requests and p_want_tokens while there is plenty; or nothing: then refusal names the limit ('requests', 'tokens',
-- 'day'), and wait_seconds says when as much will be free. p_used: what was used of the process's slices that have ended, by their
-- ids. p_debt: tokens that calls have used beyond what was counted for them; they count from now on. Nulls are no limits.
CREATE OR REPLACE FUNCTION limits.draw(
  p_subject text,
  p_account text,
  p_slice text,
  p_request_limit bigint,
  p_token_limit bigint,
  p_day_limit bigint,
  p_requests bigint,
  p_tokens bigint,
  p_want_requests bigint,
  p_want_tokens bigint,
  p_life double precision,
  p_window double precision,
  p_used jsonb,
  p_debt bigint,
  OUT requests bigint,
  OUT tokens bigint,
  OUT refusal text,
  OUT wait_seconds double precision,
  OUT free_requests bigint,
  OUT free_tokens bigint,
  OUT reset_requests_seconds double precision,
  OUT reset_tokens_seconds double precision
)
RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  at timestamptz;
  lasts interval := make_interval(secs => p_window);
  s limits.subjects;
  today date;
  free_of_day bigint;
  returned bigint := 0;
BEGIN
  -- A slice that a crash of the server loses is one of a few milliseconds.
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO limits.subjects (id, account_id, day, drawn_at)
  VALUES (p_subject, p_account, '-infinity', clock_timestamp()) ON CONFLICT DO NOTHING;
  SELECT * INTO s FROM limits.subjects WHERE id = p_subject FOR UPDATE;
  at := clock_timestamp();
  WITH ended AS (
    SELECT l.id, l.tokens AS before, least(l.requests, u.requests) AS requests, least(l.tokens, u.tokens) AS tokens
    FROM jsonb_to_recordset(p_used) AS u(id text, requests bigint, tokens bigint)
    JOIN limits.slices l ON l.subject_id = p_subject AND l.id = u.id
  ), shortened AS (
    UPDATE limits.slices l SET requests = e.requests, tokens = e.tokens, ends_at = least(l.ends_at, at)
    FROM ended e WHERE l.subject_id = p_subject AND l.id = e.id
  )
  SELECT coalesce(sum(before - ended.tokens), 0) INTO returned FROM ended;
  -- Each part counts for a window after the one before, so that a debt above the limit delays for longer than one window.
  IF p_debt > 0 AND p_token_limit IS NOT NULL THEN
    INSERT INTO limits.slices (subject_id, id, requests, tokens, ends_at)
    SELECT p_subject, p_slice || '+' || n, 0, least(p_token_limit, p_debt - n * p_token_limit), at + n * lasts
    FROM generate_series(0, least(59, (p_debt - 1) / p_token_limit)) n;
  END IF;
  DELETE FROM limits.slices WHERE subject_id = p_subject AND ends_at <= at - lasts;
  SELECT p_request_limit - coalesce(sum(l.requests), 0), p_token_limit - coalesce(sum(l.tokens), 0),
    coalesce(extract(epoch FROM max(ends_at) FILTER (WHERE l.requests > 0) + lasts - at), 0),
    coalesce(extract(epoch FROM max(ends_at) FILTER (WHERE l.tokens > 0) + lasts - at), 0)
  INTO free_requests, free_tokens, reset_requests_seconds, reset_tokens_seconds
  FROM limits.slices l WHERE subject_id = p_subject;
  today := (at AT TIME ZONE 'UTC')::date;
  s.day_tokens := greatest(0, CASE WHEN s.day = today THEN s.day_tokens - returned ELSE 0 END + p_debt);
  free_of_day := p_day_limit - s.day_tokens;
  requests := 0;
  tokens := 0;
  IF free_of_day < p_tokens THEN
    refusal := 'day';
    wait_seconds := extract(epoch FROM (today + 1)::timestamp AT TIME ZONE 'UTC' - at);
  ELSIF free_requests < p_requests THEN
    refusal := 'requests';
    wait_seconds := (
      SELECT extract(epoch FROM min(ends_at) + lasts - at) FROM (
        SELECT l.ends_at, sum(l.requests) OVER (ORDER BY l.ends_at, l.id) AS freed FROM limits.slices l WHERE subject_id = p_subject
      ) f WHERE freed >= p_requests - free_requests
    );
  ELSIF free_tokens < p_tokens THEN
    refusal := 'tokens';
    wait_seconds := (
      SELECT extract(epoch FROM min(ends_at) + lasts - at) FROM (
        SELECT l.ends_at, sum(l.tokens) OVER (ORDER BY l.ends_at, l.id) AS freed FROM limits.slices l WHERE subject_id = p_subject
      ) f WHERE freed >= p_tokens - free_tokens
    );
  ELSIF p_requests > 0 OR p_tokens > 0 THEN
    -- While little is left a quarter at a time, so that it is not stuck in another process.
    requests := greatest(p_requests, least(p_want_requests, coalesce(free_requests / 4, p_want_requests)));
    tokens := greatest(p_tokens, least(p_want_tokens, coalesce(free_tokens / 4, p_want_tokens), coalesce(free_of_day / 4, p_want_tokens)));
    INSERT INTO limits.slices (subject_id, id, requests, tokens, ends_at)
    VALUES (p_subject, p_slice, requests, tokens, at + make_interval(secs => p_life));
    s.day_tokens := s.day_tokens + tokens;
    free_requests := free_requests - requests;
    free_tokens := free_tokens - tokens;
    reset_requests_seconds := p_life + p_window;
    reset_tokens_seconds := p_life + p_window;
  END IF;
  UPDATE limits.subjects SET day = today, day_tokens = s.day_tokens, drawn_at = at WHERE id = p_subject;
END $$;
REVOKE EXECUTE ON FUNCTION limits.draw FROM PUBLIC;
GRANT EXECUTE ON FUNCTION limits.draw TO gateway;

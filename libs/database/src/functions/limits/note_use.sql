-- Adds what one gateway process has admitted and refused in parts (twelfths) of p_window, and keeps for each day the most that was used of
-- each limit in any twelve parts in a row, by all processes. What is above the limit that is told, since the limit has fallen or calls used
-- more than was counted for them, is the whole limit. Calls that ran at a time in several processes are added up within a part: not more than
-- that can have run. Returns the time in seconds since 1970, by which parts are counted.
CREATE OR REPLACE FUNCTION limits.note_use(p_window double precision, p_uses jsonb)
RETURNS double precision LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  seconds double precision := p_window / 12;
BEGIN
  IF jsonb_array_length(p_uses) > 0 THEN
    -- What a crash of the server loses is of a few milliseconds.
    PERFORM set_config('synchronous_commit', 'off', true);
    -- One process at a time: each sees what the others have told.
    PERFORM pg_advisory_xact_lock(hashtext('limits.note_use'));
    INSERT INTO limits.part_uses AS known (subject_id, part, requests, tokens, running)
    SELECT id, part, requests, tokens, running
    FROM jsonb_to_recordset(p_uses) AS u(id text, part bigint, requests bigint, tokens bigint, running integer)
    ON CONFLICT (subject_id, part) DO UPDATE SET
      requests = known.requests + excluded.requests,
      tokens = known.tokens + excluded.tokens,
      running = known.running + excluded.running;
    WITH told AS (
      SELECT u.*, (to_timestamp(part * seconds) AT TIME ZONE 'UTC')::date AS day FROM jsonb_to_recordset(p_uses) AS u(
        id text, account_id text, part bigint, tokens bigint,
        request_limit bigint, token_limit bigint, running_limit integer, day_limit bigint,
        refused_requests bigint, refused_tokens bigint, refused_running bigint, refused_day bigint
      )
    ), subjects AS (
      SELECT DISTINCT ON (id) id, account_id, request_limit, token_limit, running_limit, day_limit,
        min(part) OVER (PARTITION BY id) AS first_part
      FROM told ORDER BY id, part DESC
    ), counts AS (
      SELECT id, day, sum(tokens) AS tokens, sum(refused_requests) AS refused_requests, sum(refused_tokens) AS refused_tokens,
        sum(refused_running) AS refused_running, sum(refused_day) AS refused_day
      FROM told GROUP BY id, day
    ), windows AS (
      SELECT subject_id, part, running, sum(requests) OVER twelve AS requests, sum(tokens) OVER twelve AS tokens
      FROM limits.part_uses WHERE subject_id IN (SELECT id FROM subjects)
      WINDOW twelve AS (PARTITION BY subject_id ORDER BY part RANGE BETWEEN 11 PRECEDING AND CURRENT ROW)
    ), peaks AS (
      SELECT s.id, (to_timestamp(w.part * seconds) AT TIME ZONE 'UTC')::date AS day,
        max(w.requests) AS requests, max(w.tokens) AS tokens, max(w.running) AS running
      FROM windows w JOIN subjects s ON s.id = w.subject_id AND w.part >= s.first_part GROUP BY 1, 2
    )
    INSERT INTO limits.day_uses AS known
    SELECT s.account_id, id, day,
      CASE WHEN s.request_limit IS NULL THEN 0 ELSE least(p.requests, s.request_limit) END, s.request_limit,
      CASE WHEN s.token_limit IS NULL THEN 0 ELSE least(p.tokens, s.token_limit) END, s.token_limit,
      CASE WHEN s.running_limit IS NULL THEN 0 ELSE least(p.running, s.running_limit) END, s.running_limit,
      coalesce(c.tokens, 0), s.day_limit,
      coalesce(c.refused_requests, 0), coalesce(c.refused_tokens, 0), coalesce(c.refused_running, 0), coalesce(c.refused_day, 0)
    FROM peaks p JOIN subjects s USING (id) LEFT JOIN counts c USING (id, day)
    ON CONFLICT (account_id, subject_id, day) DO UPDATE SET
      requests = greatest(known.requests, excluded.requests),
      request_limit = limits.limit_of_most(known.requests, known.request_limit, excluded.requests, excluded.request_limit),
      tokens = greatest(known.tokens, excluded.tokens),
      token_limit = limits.limit_of_most(known.tokens, known.token_limit, excluded.tokens, excluded.token_limit),
      running = greatest(known.running, excluded.running),
      running_limit = limits.limit_of_most(known.running, known.running_limit, excluded.running, excluded.running_limit),
      day_tokens = known.day_tokens + excluded.day_tokens,
      day_limit = coalesce(excluded.day_limit, known.day_limit),
      refused_requests = known.refused_requests + excluded.refused_requests,
      refused_tokens = known.refused_tokens + excluded.refused_tokens,
      refused_running = known.refused_running + excluded.refused_running,
      refused_day = known.refused_day + excluded.refused_day;
    DELETE FROM limits.part_uses WHERE part < extract(epoch FROM clock_timestamp()) / seconds - 36;
  END IF;
  RETURN extract(epoch FROM clock_timestamp());
END $$;
REVOKE EXECUTE ON FUNCTION limits.note_use FROM PUBLIC;
GRANT EXECUTE ON FUNCTION limits.note_use TO gateway;

-- Claims an idempotency key of a key of an account and a path for a call, for so many seconds. outcome is 'claimed' or says why not: another
-- body was sent with it ('other_body'), another process works on its call ('running'), or its call was charged ('charged'). Then
-- claimed_by is that call, and owned_by where its process is asked for the answer. A call whose process let its claim lapse without a
-- charge is forgotten.
CREATE OR REPLACE FUNCTION metering.claim_call(
  p_account text,
  p_key text,
  p_endpoint text,
  p_idempotency_hash text,
  p_body_hash text,
  p_request text,
  p_seconds integer,
  p_owner text,
  OUT outcome text,
  OUT claimed_by text,
  OUT owned_by text,
  OUT cost_picos numeric
)
RETURNS record LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  lapses_at timestamptz := clock_timestamp() + make_interval(secs => p_seconds);
  c metering.idempotent_calls;
BEGIN
  INSERT INTO metering.idempotent_calls
    (account_id, api_key_id, endpoint, idempotency_hash, body_hash, request_id, owner, claimed_at, held_until)
  VALUES (p_account, p_key, p_endpoint, p_idempotency_hash, p_body_hash, p_request, p_owner, clock_timestamp(), lapses_at)
  ON CONFLICT DO NOTHING;
  IF FOUND THEN
    outcome := 'claimed';
    RETURN;
  END IF;
  SELECT * INTO c FROM metering.idempotent_calls i
  WHERE i.account_id = p_account AND i.api_key_id = p_key AND i.endpoint = p_endpoint AND i.idempotency_hash = p_idempotency_hash
  FOR UPDATE;
  -- Its call has just ended without a charge.
  IF NOT FOUND THEN
    outcome := 'running';
    RETURN;
  END IF;
  claimed_by := c.request_id;
  owned_by := c.owner;
  IF c.body_hash <> p_body_hash THEN
    outcome := 'other_body';
    RETURN;
  END IF;
  SELECT e.cost_picos INTO cost_picos FROM metering.usage_events e
  WHERE e.account_id = p_account AND e.occurred_at >= c.claimed_at AND e.request_id = c.request_id;
  IF FOUND THEN
    outcome := 'charged';
  ELSIF c.held_until > clock_timestamp() THEN
    outcome := 'running';
  ELSE
    outcome := 'claimed';
    UPDATE metering.idempotent_calls i
    SET request_id = p_request, owner = p_owner, claimed_at = clock_timestamp(), held_until = lapses_at
    WHERE i.account_id = p_account AND i.api_key_id = p_key AND i.endpoint = p_endpoint AND i.idempotency_hash = p_idempotency_hash;
  END IF;
END $$;
REVOKE EXECUTE ON FUNCTION metering.claim_call FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.claim_call TO gateway;

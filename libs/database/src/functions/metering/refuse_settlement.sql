-- Takes the id of a batch that may be on its way, so that it is not charged any more, unless it was settled before. If its
-- settlement is still running, this waits for its end. Returns the decision: whether the batch is refused, and otherwise the
-- requests that the wallet did not cover. Called again it returns the same decision.
CREATE OR REPLACE FUNCTION metering.refuse_settlement(p_id text, p_events jsonb)
RETURNS TABLE(refused boolean, not_covered text[]) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
  ids text[];
  charged text[] := '{}';
BEGIN
  SELECT array_agg(e ->> 'request_id') INTO ids FROM jsonb_array_elements(p_events) e;
  INSERT INTO metering.settlements (id, refused_request_ids) VALUES (p_id, ids) ON CONFLICT DO NOTHING;
  IF FOUND THEN
    -- Ids of settlements are deleted after a day. Then the events tell whether the batch was settled.
    IF EXISTS (
      SELECT FROM jsonb_array_elements(p_events) e
      WHERE (e ->> 'started_at')::timestamptz < clock_timestamp() - interval '12 hours'
    ) THEN
      SELECT coalesce(array_agg(u.request_id), '{}') INTO charged
      FROM jsonb_to_recordset(p_events) AS e(request_id text, account_id text, started_at timestamptz)
      JOIN metering.usage_events u ON u.account_id = e.account_id AND u.request_id = e.request_id
        AND u.occurred_at > e.started_at - interval '1 hour';
    END IF;
    IF charged = '{}' THEN
      INSERT INTO metering.refused_requests (request_id, account_id, settlement_id, event)
      SELECT e ->> 'request_id', e ->> 'account_id', p_id, e FROM jsonb_array_elements(p_events) e;
    ELSE
      UPDATE metering.settlements SET refused_request_ids = ARRAY(SELECT unnest(ids) EXCEPT SELECT unnest(charged))
      WHERE id = p_id;
    END IF;
  END IF;
  RETURN QUERY SELECT EXISTS (SELECT FROM metering.refused_requests r WHERE r.settlement_id = p_id), s.refused_request_ids
  FROM metering.settlements s WHERE s.id = p_id;
END $$;
REVOKE EXECUTE ON FUNCTION metering.refuse_settlement FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.refuse_settlement TO gateway;

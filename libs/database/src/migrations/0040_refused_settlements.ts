import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- Requests that a gateway has given up to settle. They are free for ever, because their settlement id is taken.
CREATE TABLE metering.refused_requests (
  request_id text PRIMARY KEY,
  account_id text NOT NULL,
  settlement_id text NOT NULL,
  refused_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- What was to be charged, as metering.settle takes it.
  event jsonb NOT NULL
);
CREATE INDEX refused_requests_settlement ON metering.refused_requests (settlement_id);
CREATE INDEX refused_requests_age ON metering.refused_requests (refused_at);
GRANT SELECT ON metering.refused_requests TO console;

-- Takes the id of a batch that may be on its way, so that it is not charged any more, unless it was settled before. If its
-- settlement is still running, this waits for its end. Returns the decision: whether the batch is refused, and otherwise the
-- requests that the wallet did not cover. Called again it returns the same decision.
CREATE FUNCTION metering.refuse_settlement(p_id text, p_events jsonb) RETURNS TABLE (refused boolean, not_covered text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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

-- The id of a refused batch stays taken as long as its requests are kept.
CREATE OR REPLACE FUNCTION metering.delete_old_settlements() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
  DELETE FROM metering.refused_requests WHERE refused_at < clock_timestamp() - interval '30 days';
  DELETE FROM metering.settlements s WHERE settled_at < clock_timestamp() - interval '1 day'
    AND NOT EXISTS (SELECT FROM metering.refused_requests r WHERE r.settlement_id = s.id);
$$;

REVOKE EXECUTE ON FUNCTION metering.refuse_settlement FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.refuse_settlement TO gateway;
`;

const DOWN = `
-- Loses which requests were refused; their settlement ids stay for a day.
CREATE OR REPLACE FUNCTION metering.delete_old_settlements() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
  DELETE FROM metering.settlements WHERE settled_at < clock_timestamp() - interval '1 day';
$$;
DROP FUNCTION metering.refuse_settlement;
DROP TABLE metering.refused_requests;
`;

/** A gateway that does not learn whether a batch was settled refuses it under the same id. */
export class RefusedSettlements0000000000040 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}

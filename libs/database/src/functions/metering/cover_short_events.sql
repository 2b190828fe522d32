-- Covers events that their lease does not cover, because it was reclaimed or the upstream served more than was requested.
-- Their cost is taken from the money of the wallet that is not leased, within the limit of the key. Events that are still
-- not covered are removed from p_events and listed in p_refused.
CREATE OR REPLACE FUNCTION metering.cover_short_events(
  INOUT p_events metering.settlement_event[],
  OUT p_refused text[]
)
RETURNS record LANGUAGE plpgsql
AS $$
DECLARE
  e metering.settlement_event;
  lease_left jsonb := '{}';
  left_picos numeric;
  kept metering.settlement_event[] := '{}';
BEGIN
  p_refused := '{}';
  SELECT coalesce(jsonb_object_agg(id, amount_picos), '{}') INTO lease_left FROM wallet.leases
  WHERE id IN (SELECT u.lease_id FROM unnest(p_events) u);
  FOREACH e IN ARRAY p_events LOOP
    left_picos := (lease_left ->> e.lease_id)::numeric;
    IF left_picos >= e.cost_picos THEN
      lease_left := lease_left || jsonb_build_object(e.lease_id, left_picos - e.cost_picos);
      kept := kept || e;
      CONTINUE;
    END IF;
    IF e.limited THEN
      UPDATE wallet.key_budgets SET leased_picos = leased_picos + e.cost_picos
      WHERE api_key_id = e.api_key_id
        AND (limit_picos IS NULL OR leased_picos + e.cost_picos + CASE
          WHEN period = 'total' THEN spent_picos
          WHEN period_starts_on >= wallet.period_start(period, clock_timestamp(), time_zone) THEN period_spent_picos
          ELSE 0
        END <= limit_picos);
      IF NOT FOUND THEN
        p_refused := p_refused || e.request_id;
        CONTINUE;
      END IF;
    END IF;
    UPDATE wallet.wallets SET leased_picos = leased_picos + e.cost_picos
    WHERE account_id = e.account_id AND balance_picos - leased_picos >= e.cost_picos;
    IF FOUND THEN
      e.lease_id := NULL;
      kept := kept || e;
    ELSE
      IF e.limited THEN
        UPDATE wallet.key_budgets SET leased_picos = leased_picos - e.cost_picos WHERE api_key_id = e.api_key_id;
      END IF;
      p_refused := p_refused || e.request_id;
    END IF;
  END LOOP;
  p_events := kept;
END $$;
REVOKE EXECUTE ON FUNCTION metering.cover_short_events FROM PUBLIC;

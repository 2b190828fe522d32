-- Writes the events of a batch and their sums, which wait to be folded into rollup, ledger, wallet and key budgets. Leaves out the
-- requests of p_left_out. The money of each event must have left its lease; the wallet and the key count it as set aside until the fold.
-- The caller has inserted the batch's row into metering.settlements, and so has a transaction id: no hour is closed that has
-- ended after that (see roll_up_hours).
CREATE OR REPLACE FUNCTION metering.insert_events(p_id text, p_events jsonb, p_left_out text[])
RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  at timestamptz := greatest(clock_timestamp(), (SELECT rolled_until FROM metering.rollup_progress));
BEGIN
  WITH events AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(p_events) AS e(request_id text, limited boolean, started_at timestamptz, account_id text,
      api_key_id text, model text, entrypoint text, endpoint text, upstream text, outcome text, input_tokens bigint,
      output_tokens bigint, estimated boolean, price_list_id bigint, usd_per_unit numeric, cost_picos numeric,
      cost_usd_picos numeric, lines jsonb, duration_ms integer, time_to_first_token_ms integer, finish_reason text,
      usage_fault text, upstream_costs jsonb, client_request_id text)
    WHERE request_id <> ALL (p_left_out)
  ), written AS (
    INSERT INTO metering.usage_events (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint,
      endpoint, upstream, outcome, input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos,
      cost_usd_picos, lines, settlement_id, duration_ms, time_to_first_token_ms, finish_reason, usage_fault, upstream_costs)
    SELECT request_id, at, started_at, account_id, api_key_id, model, entrypoint, endpoint, upstream, outcome,
      input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines, p_id,
      duration_ms, time_to_first_token_ms, finish_reason, usage_fault, coalesce(upstream_costs, '[]')
    FROM events
  ), named AS (
    INSERT INTO metering.client_request_ids (client_request_id, account_id, occurred_at, request_id)
    SELECT client_request_id, account_id, at, request_id FROM events WHERE client_request_id IS NOT NULL
  ), margins AS (
    -- A gateway of an earlier version tells no costs.
    INSERT INTO metering.unfolded_margins (account_id, day, model, upstream, calls, uncosted_calls, revenue_picos,
      uncosted_revenue_picos, cost_picos)
    SELECT account_id, date_trunc('day', at, 'UTC'), model, upstream, sum(calls), sum(uncosted), sum(revenue),
      sum(revenue * uncosted), sum(cost)
    FROM (
      SELECT account_id, model, upstream, 1 AS calls,
        CASE WHEN upstream_costs @> '[{"served": true}]' THEN 0 ELSE 1 END AS uncosted, cost_picos AS revenue, 0::numeric AS cost
      FROM events
      UNION ALL
      SELECT e.account_id, e.model, c.upstream, 0, 0, 0, c.cost_picos
      FROM events e CROSS JOIN jsonb_to_recordset(e.upstream_costs) AS c(upstream text, cost_picos numeric)
    ) figures
    GROUP BY account_id, model, upstream
  )
  INSERT INTO metering.unfolded_usage (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos,
    cost_usd_picos, calls, limited_picos)
  SELECT e.account_id, date_trunc('hour', at, 'UTC'), e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, ''), sum(l.quantity),
    sum(l.tokens), sum(l.cost_picos), sum(l.cost_usd_picos), count(*) FILTER (WHERE l.number = 1),
    coalesce(sum(l.cost_picos) FILTER (WHERE e.limited), 0)
  FROM events e
  CROSS JOIN ROWS FROM (jsonb_to_recordset(e.lines)
    AS (unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric))
    WITH ORDINALITY AS l(unit, quantity, tokens, cost_picos, cost_usd_picos, number)
  GROUP BY e.account_id, e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, '');
END $$;
REVOKE EXECUTE ON FUNCTION metering.insert_events FROM PUBLIC;

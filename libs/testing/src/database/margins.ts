/** Writes the margins anew, for tests that have changed events: all of them have to be folded. */
export const REBUILD_MARGINS = [
  'DELETE FROM metering.daily_margins',
  `INSERT INTO metering.daily_margins (day, account_id, model, upstream, calls, uncosted_calls, revenue_picos,
     uncosted_revenue_picos, cost_picos)
   SELECT date_trunc('day', occurred_at, 'UTC'), account_id, model, upstream, sum(calls), sum(uncosted), sum(revenue),
     sum(revenue * uncosted), sum(cost)
   FROM (
     SELECT occurred_at, account_id, model, upstream, 1 AS calls,
       CASE WHEN upstream_costs @> '[{"served": true}]' THEN 0 ELSE 1 END AS uncosted, cost_picos AS revenue, 0::numeric AS cost
     FROM metering.usage_events WHERE upstream_costs IS NOT NULL
     UNION ALL
     SELECT e.occurred_at, e.account_id, e.model, c.upstream, 0, 0, 0, c.cost_picos
     FROM metering.usage_events e CROSS JOIN jsonb_to_recordset(e.upstream_costs) AS c(upstream text, cost_picos numeric)
   ) figures
   GROUP BY 1, 2, 3, 4`,
];

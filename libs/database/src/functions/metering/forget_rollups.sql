-- Empties the sums of days, months and the site from the month of a time on, so that the hours are rolled up again. For an operator who had to
-- change hours. Reports are exact at every moment, because they read hours where there are no days. Of the dashboard's days only the counts
-- of refused and failed calls that are not in the log any more are lost.
CREATE OR REPLACE FUNCTION metering.forget_rollups(p_from timestamptz)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog
AS $$
DECLARE
  first timestamptz := date_trunc('month', p_from, 'UTC');
BEGIN
  PERFORM FROM metering.rollup_progress FOR UPDATE;
  PERFORM FROM billing.figures_progress FOR UPDATE;
  DELETE FROM metering.daily_rollup WHERE day >= first;
  DELETE FROM metering.monthly_rollup WHERE month >= first;
  DELETE FROM metering.account_daily_costs WHERE day >= first;
  DELETE FROM metering.account_monthly_costs WHERE month >= first;
  DELETE FROM metering.site_hourly_costs WHERE hour >= first;
  DELETE FROM metering.site_daily_costs WHERE day >= first;
  DELETE FROM metering.site_monthly_costs WHERE month >= first;
  DELETE FROM billing.day_figures WHERE day >= first;
  DELETE FROM billing.day_models WHERE day >= first;
  DELETE FROM billing.day_accounts WHERE day >= first;
  DELETE FROM billing.day_margins WHERE day >= first;
  DELETE FROM billing.hour_models WHERE hour >= first;
  UPDATE billing.figures_progress SET summed_until = nullif(first, '-infinity') WHERE summed_until > first;
  UPDATE metering.rollup_progress SET rolled_until = nullif(first, '-infinity') WHERE rolled_until > first;
END $$;
REVOKE EXECUTE ON FUNCTION metering.forget_rollups FROM PUBLIC;

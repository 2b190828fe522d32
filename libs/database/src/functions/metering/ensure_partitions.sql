-- Creates the monthly partitions from this month to three months ahead.
-- Creating one locks the whole table. If it waited for a long query, all settlements would wait behind it; so it fails
-- after lock_timeout, and a later call succeeds well before the partition is needed.
CREATE OR REPLACE FUNCTION metering.ensure_partitions()
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = '1s'
AS $$
DECLARE
  month timestamp;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('metering.ensure_partitions'));
  FOR i IN 0..3 LOOP
    month := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => i);
    EXECUTE format('CREATE TABLE IF NOT EXISTS metering.%I PARTITION OF metering.usage_events FOR VALUES FROM (%L) TO (%L)',
      'usage_events_' || to_char(month, 'YYYY_MM'),
      month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION metering.ensure_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.ensure_partitions TO gateway;

-- A new database has its first partitions before a gateway runs.
SELECT metering.ensure_partitions();

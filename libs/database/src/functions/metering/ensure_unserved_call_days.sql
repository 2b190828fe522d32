-- Creates the partitions of refused and failed calls from yesterday to three days ahead, and removes those of days that ended
-- over 30 days ago. Both lock the whole table; only the log of such calls waits for it, and at most for lock_timeout.
CREATE OR REPLACE FUNCTION metering.ensure_unserved_call_days()
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = '1s'
AS $$
DECLARE
  today timestamp := date_trunc('day', now() AT TIME ZONE 'UTC');
  day timestamp;
  old text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('metering.ensure_unserved_call_days'));
  FOR i IN -1..3 LOOP
    day := today + make_interval(days => i);
    EXECUTE format('CREATE TABLE IF NOT EXISTS metering.%I PARTITION OF metering.unserved_calls FOR VALUES FROM (%L) TO (%L)',
      'unserved_calls_' || to_char(day, 'YYYY_MM_DD'), day AT TIME ZONE 'UTC', (day + interval '1 day') AT TIME ZONE 'UTC');
  END LOOP;
  FOR old IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'metering.unserved_calls'::regclass
      AND c.relname < 'unserved_calls_' || to_char(today - interval '30 days', 'YYYY_MM_DD')
  LOOP
    EXECUTE format('DROP TABLE metering.%I', old);
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION metering.ensure_unserved_call_days FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.ensure_unserved_call_days TO gateway;

-- A new database has its first partitions before a gateway runs.
SELECT metering.ensure_unserved_call_days();
